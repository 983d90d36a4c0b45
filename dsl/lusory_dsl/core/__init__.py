"""The core language: what a checked program consists of. THE contract between checker and engines.

Made by the checker from the surface nodes; walked by the evaluator, emitted by the compiler, read by views and
rules text. Everything is resolved and typed: names became places, locals or constants; ``me`` and ``it`` are plain
locals; sugar is gone. All nodes are frozen. ``span`` says where in the author's file the node stands.

Evaluation order is left to right, operands before operators; ``and``/``or``/conditionals are short-circuit.
A *routine* (phase body, effect, query, action, scoring expression) owns numbered local *slots* 0..n_slots-1.
Routines never recurse (the checker refuses it), so slots can be allocated statically.
"""

from .boards import (
    Board as Board,
    Shape as Shape,
)
from .constructs import (
    EXPRESSIONS as EXPRESSIONS,
    STATEMENTS as STATEMENTS,
    Does as Does,
    describe as describe,
    row as row,
)
from .declarations import (
    PILE as PILE,
    CardZone as CardZone,
    Dim as Dim,
    Effect as Effect,
    Entity as Entity,
    Enum as Enum,
    EnumValue as EnumValue,
    Modifier as Modifier,
    Option as Option,
    Param as Param,
    Phase as Phase,
    Pool as Pool,
    Query as Query,
    Rule as Rule,
    Table as Table,
    Variable as Variable,
    Visibility as Visibility,
)
from .expressions import (
    Binary as Binary,
    ByCard as ByCard,
    CallBuiltin as CallBuiltin,
    CallQuery as CallQuery,
    Concat as Concat,
    Const as Const,
    Distinct as Distinct,
    Expr as Expr,
    Extreme as Extreme,
    Field as Field,
    Filter as Filter,
    Fold as Fold,
    IfExpr as IfExpr,
    IndexOfPlace as IndexOfPlace,
    Leading as Leading,
    LiesIn as LiesIn,
    ListLit as ListLit,
    Local as Local,
    MapList as MapList,
    Named as Named,
    OptionValue as OptionValue,
    Players as Players,
    PoolKinds as PoolKinds,
    PoolTotal as PoolTotal,
    Range as Range,
    Reach as Reach,
    ReadCell as ReadCell,
    ReadZone as ReadZone,
    Region as Region,
    Sorted as Sorted,
    TableRead as TableRead,
    TextTemplate as TextTemplate,
    Unary as Unary,
)
from .origin import (
    WRITTEN as WRITTEN,
    Origin as Origin,
)
from .pictures import (
    Picture as Picture,
)
from .program import (
    CAN_WIN as CAN_WIN,
    ENDING as ENDING,
    NO_ADVICE as NO_ADVICE,
    NO_BALANCE as NO_BALANCE,
    ORDINARY as ORDINARY,
    Advice as Advice,
    Balance as Balance,
    Chart as Chart,
    Invariant as Invariant,
    Pack as Pack,
    Program as Program,
    Scoring as Scoring,
    Threshold as Threshold,
)
from .statements import (
    Alternative as Alternative,
    Announce as Announce,
    Ask as Ask,
    AskMany as AskMany,
    CallEffect as CallEffect,
    ChoiceVar as ChoiceVar,
    DoByCard as DoByCard,
    EndGame as EndGame,
    ForEach as ForEach,
    If as If,
    Let as Let,
    MoveCards as MoveCards,
    MoveCount as MoveCount,
    Random as Random,
    Repeat as Repeat,
    SetCell as SetCell,
    Shuffle as Shuffle,
    Stmt as Stmt,
    Stop as Stop,
)
from .views import (
    BoardView as BoardView,
    DialsView as DialsView,
    HandView as HandView,
    Lead as Lead,
    Look as Look,
    LookMark as LookMark,
    MapView as MapView,
    PanelView as PanelView,
    PilesView as PilesView,
    PileView as PileView,
    TrackView as TrackView,
    ViewItem as ViewItem,
    ViewLayout as ViewLayout,
)
from .walking import (
    LOOPS as LOOPS,
    Move as Move,
    Through as Through,
    any_in as any_in,
    binds as binds,
    blocks as blocks,
    bodies_of as bodies_of,
    chain as chain,
    children as children,
    does as does,
    end_read as end_read,
    gone_through as gone_through,
    leaves_bound as leaves_bound,
    locals_in as locals_in,
    moves as moves,
    phases_in as phases_in,
    reads as reads,
    rebuilt as rebuilt,
    rules_of as rules_of,
    statements_in as statements_in,
    walk as walk,
    writes as writes,
)

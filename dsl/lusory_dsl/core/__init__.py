"""Define the core language: the intermediate representation between the checker and the engines.

The checker lowers the surface syntax to these nodes. The evaluator walks them, and the compiler emits code for them.
Views and rules texts read them too. All names are resolved to places, locals or constants, and all types are known.
``me`` and ``it`` are plain locals. No syntactic sugar is left. All nodes are frozen. ``span`` is a node's position in
the author's file.

Operands are evaluated from left to right, before their operator. ``and``, ``or`` and conditionals short-circuit. A
*routine* is a phase body, effect, query, action or scoring expression. It owns the local *slots* 0..n_slots-1. Routines
never recurse, because the checker refuses recursion. Slots can therefore be allocated statically.
"""

from .board_diagrams import Picture as Picture
from .boards import (
    Board as Board,
    Shape as Shape,
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
from .node_traits import (
    EXPRESSIONS as EXPRESSIONS,
    STATEMENTS as STATEMENTS,
    Does as Does,
    describe as describe,
    row as row,
)
from .origin import (
    WRITTEN as WRITTEN,
    Origin as Origin,
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
from .view_declarations import (
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
from .visitors import (
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
    structural_key as structural_key,
    walk as walk,
    writes as writes,
)

// Random games of an OpenSpiel game in a loop of C++: as many as are asked for; how many moves they had.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include "open_spiel/spiel.h"

extern "C" int64_t random_games(const char *name, int64_t games, uint64_t seed) {
  std::shared_ptr<const open_spiel::Game> game = open_spiel::LoadGame(std::string(name));
  int64_t moves = 0;
  for (int64_t i = 0; i < games; i++) {
    std::unique_ptr<open_spiel::State> state = game->NewInitialState();
    while (!state->IsTerminal()) {
      std::vector<open_spiel::Action> legal = state->LegalActions();
      seed = seed * 6364136223846793005ull + 1442695040888963407ull;
      state->ApplyAction(legal[(seed >> 32) * legal.size() >> 32]);
      moves++;
    }
    state->Returns();
  }
  return moves;
}

#include "app/seqctl.h"

int main(int argc, char** argv) { return seqd::app::run_seqctl(argc, argv); }

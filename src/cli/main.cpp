// The program: one subcommand for each thing that stint can do.
int main() { return 0; }

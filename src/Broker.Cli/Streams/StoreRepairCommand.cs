using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Streams;

namespace Broker.Cli.Streams;

/// <summary><c>broker stream repair</c>.</summary>
internal sealed class StoreRepairCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker stream repair --store-dir data
          broker stream repair --store-dir data --yes

        Exit codes: 0 if nothing is damaged any more; 1 if the directory cannot be used, or the repair was not confirmed;
        2 if the command line is wrong.
        """;

    private readonly Confirmation _confirmation = new(shell, "--yes", "-y");
    private readonly Option<bool> _json = new("--json") { Description = "Print a JSON object on one line for each account" };

    public Command Build()
    {
        var command = new Command("repair", "Removes what is damaged from the directory of a stopped broker, keeps all whole messages, and says what is lost.");
        _confirmation.AddTo(command);
        return new StoreCommand(shell).Complete(command.With(_json), Examples, RepairAsync);
    }

    private async Task<int> RepairAsync(StoreRun run, ParseResult flags)
    {
        bool isJson = flags.GetValue(_json);
        int exitCode = ExitCode.Success;
        foreach (string account in run.Accounts)
        {
            StoreReport found = await run.WithProgressAsync("read", progress => run.Directory.Verify(account, progress, run.Stop));
            if (!isJson)
            {
                StorePrinter.Print(shell, found, stream: null);
            }

            bool isRepaired = false;
            if (found.Findings.Count == 0)
            {
                shell.Say($"the account {account} needs no repair");
            }
            else if (await _confirmation.IsGivenAsync(flags, Question(found), run.Stop))
            {
                found = await run.WithProgressAsync("written", progress => run.Directory.Repair(account, progress, run.Stop));
                isRepaired = true;
                shell.Say($"repaired the account {account}: {Lost(found)}; {ValueText.Count(found.Streams.Sum(static stream => stream.Messages), "message is", "messages are")} there");
            }
            else
            {
                exitCode = ExitCode.Failure;
            }

            if (isJson)
            {
                StorePrinter.PrintJson(shell, found, stream: null, ("repaired", isRepaired));
            }
        }

        return exitCode;
    }

    private static string Question(StoreReport found) => $"Repair the account {found.Account}? Everything that is whole is kept. {Lost(found)}.";

    // The last messages of a stream may be lost without a trace of their sequences.
    private static string Lost(StoreReport found)
    {
        long named = found.Streams.Sum(static stream => stream.Lost);
        long most = found.Findings.Sum(static finding => finding.MostRecords);
        return most == 0 ? "no message is lost"
            : named == most ? ValueText.Count(named, "message is lost", "messages are lost")
            : $"{ValueText.Count(named, "message is", "messages are")} known to be lost, and at most {ValueText.Count(most, "record is", "records are")} lost with them";
    }
}

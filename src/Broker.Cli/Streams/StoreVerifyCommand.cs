using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Streams;

namespace Broker.Cli.Streams;

/// <summary><c>broker stream verify</c>.</summary>
internal sealed class StoreVerifyCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker stream verify --store-dir data
          broker stream verify ORDERS --store-dir data --json

        Exit codes: 0 if every message is whole; 5 if messages are damaged or missing; 1 if the directory cannot be read,
        belongs to a nats-server or a newer broker, or is in use; 2 if the command line is wrong.
        """;

    private readonly Argument<string?> _stream = new("stream") { Description = "Show only this stream", Arity = ArgumentArity.ZeroOrOne };
    private readonly Option<bool> _json = new("--json") { Description = "Print a JSON object on one line for each account" };

    public Command Build() => new StoreCommand(shell).Complete(
        new Command("verify", "Reads every message in the directory of a stopped broker, and shows damage. Changes nothing.").With(_stream, _json), Examples, VerifyAsync);

    private async Task<int> VerifyAsync(StoreRun run, ParseResult flags)
    {
        string? stream = flags.GetValue(_stream);
        bool isDamaged = false;
        bool isFound = stream is null;
        foreach (string account in run.Accounts)
        {
            StoreReport report = await run.WithProgressAsync("read", progress => run.Directory.Verify(account, progress, run.Stop));
            isDamaged |= report.IsDamaged;
            isFound |= report.Streams.Any(row => row.Name == stream);
            if (flags.GetValue(_json))
            {
                StorePrinter.PrintJson(shell, report, stream);
            }
            else
            {
                StorePrinter.Print(shell, report, stream);
            }
        }

        if (!isFound)
        {
            shell.Complain($"there is no stream {stream} in {run.Folder}");
            return ExitCode.Failure;
        }

        shell.Say(isDamaged ? $"messages are damaged or missing; broker stream repair --store-dir {run.Folder} keeps what is whole" : "no damage");
        return isDamaged ? ExitCode.Damaged : ExitCode.Success;
    }
}

using System.CommandLine;
using Broker.Cli.Help;
using Broker.Cli.Shell;
using Broker.Streams;

namespace Broker.Cli.Streams;

/// <summary>
/// The common part of the commands for the directory of a stopped broker: its flags, the run, and the errors.
/// </summary>
internal sealed class StoreCommand(ShellStreams shell)
{
    private readonly Option<string> _directory = new("--store-dir", "-sd", "--store_dir", "--sd")
    {
        Description = "Directory of the streams of a stopped broker, as its store_dir or -sd",
        HelpName = "folder",
        Required = true,
    };

    private readonly Option<string?> _account = new("--account") { Description = "Only the streams of this account [default: all accounts]", HelpName = "name" };

    /// <summary>Adds the flags, the examples and the action to a command.</summary>
    /// <param name="command">The command with its own arguments and flags.</param>
    /// <param name="examples">The examples in the help.</param>
    /// <param name="work">Uses the locked directory and returns the exit code.</param>
    public Command Complete(Command command, string examples, Func<StoreRun, ParseResult, Task<int>> work)
        => CompleteUnlocked(command, examples, async (folder, account, flags, stop) =>
        {
            using var directory = StreamsDirectory.Open(folder);
            if (account is not null && !directory.Accounts.Contains(account, StringComparer.Ordinal))
            {
                throw new StoreException($"The account '{account}' has no streams here; the accounts are: {string.Join(", ", directory.Accounts)}.");
            }

            return await work(new StoreRun(shell, directory, folder, account is null ? directory.Accounts : [account], stop), flags);
        });

    /// <summary>As <see cref="Complete"/>, for a command that does not need the directory to be there.</summary>
    /// <param name="command">The command with its own arguments and flags.</param>
    /// <param name="examples">The examples in the help.</param>
    /// <param name="work">Receives the directory and the account, and returns the exit code.</param>
    public Command CompleteUnlocked(Command command, string examples, Func<string, string?, ParseResult, CancellationToken, Task<int>> work)
    {
        command.With(_directory, _account);
        HelpWithExamples.Add(command, examples);
        command.SetAction((flags, cancellationToken) => RunAsync(stop => work(Folder(flags), flags.GetValue(_account), flags, stop), cancellationToken));
        return command;
    }

    private string Folder(ParseResult flags)
        => flags.GetRequiredValue(_directory) is var folder && !string.IsNullOrWhiteSpace(folder) ? folder : throw new UsageException("--store-dir must name a folder");

    private async Task<int> RunAsync(Func<CancellationToken, Task<int>> work, CancellationToken cancellationToken)
    {
        using var signals = new ShellSignals(cancellationToken);
        try
        {
            return await work(signals.Stop);
        }
        catch (OperationCanceledException) when (signals.Stop.IsCancellationRequested)
        {
            return ExitCode.Interrupted;
        }
        catch (UsageException e)
        {
            shell.Complain(e.Message);
            return ExitCode.Usage;
        }
        catch (Exception e) when (e is StoreException or IOException or UnauthorizedAccessException)
        {
            shell.Complain(e.Message);
            return ExitCode.Failure;
        }
    }
}

using System.CommandLine;
using Broker.Cli.Help;
using Broker.Cli.Shell;

namespace Broker.Cli.Auth;

/// <summary>The common part of all commands about tokens: the flag of the store, and the texts of errors.</summary>
internal static class AuthCommand
{
    private const string Variable = "BROKER_AUTH";

    public static Option<string?> Store() => new("--store")
    {
        Description = $"Folder with the tokens and seeds [default: {Variable}, otherwise {AuthStore.Default}]",
        HelpName = "folder",
    };

    public static Option<string?> Account() => new("--account", "-a")
    {
        Description = "Name or public key of the account [default: the only account]",
        HelpName = "name",
    };

    public static Option<bool> Json() => new("--json") { Description = "Print a JSON object on one line" };

    /// <summary>Returns the folder of the store.</summary>
    /// <exception cref="UsageException">The folder is empty.</exception>
    public static string Folder(ShellStreams shell, string? given)
        => (given ?? (shell.Variable(Variable) is { Length: > 0 } named ? named : AuthStore.Default)) is { Length: > 0 } folder
            ? folder
            : throw new UsageException("--store must be a folder");

    /// <summary>Adds the examples, the flag of the store and the action to a command.</summary>
    public static Command Complete(Command command, ShellStreams shell, string examples, bool changes, Func<AuthRun, ParseResult, int> work)
    {
        Option<string?> folder = Store();
        command.Options.Add(folder);
        HelpWithExamples.Add(command, examples);
        command.SetAction(flags => Guard(shell, () =>
        {
            using var store = AuthStore.Open(Folder(shell, flags.GetValue(folder)), changes);
            return work(new AuthRun(shell, store), flags);
        }));
        return command;
    }

    /// <summary>Runs the work and translates its errors to exit codes.</summary>
    public static int Guard(ShellStreams shell, Func<int> work)
    {
        try
        {
            return work();
        }
        catch (UsageException e)
        {
            shell.Complain(e.Message);
            return ExitCode.Usage;
        }
        catch (Exception e) when (e is AuthException or IOException or UnauthorizedAccessException)
        {
            shell.Complain(e.Message);
            return ExitCode.Failure;
        }
    }
}

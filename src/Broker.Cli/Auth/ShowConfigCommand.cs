using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Streams;

namespace Broker.Cli.Auth;

/// <summary><c>broker auth show config</c>: the configuration with which a server accepts the accounts.</summary>
internal sealed class ShowConfigCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker auth show config > accounts.conf
              The file has all accounts. After a change, make it again and reload the server.
          broker auth show config --resolver full --dir /var/lib/broker/jwt > accounts.conf
              The server stores the accounts that 'broker auth push' sends; the file has only the system account.
        """;

    private readonly Option<string?> _resolver = StorageFlags.Choice("--resolver", "Where the server has its accounts from [default: memory]", "memory", "full");
    private readonly Option<string?> _folder = new("--dir") { Description = "Folder of the full resolver on the server [default: jwt]", HelpName = "folder" };

    public Command Build() => AuthCommand.Complete(
        new Command("config", "Prints the configuration with which 'broker serve' or nats-server accepts the accounts.").With(_resolver, _folder), shell, Examples, changes: false, Show);

    private int Show(AuthRun run, ParseResult flags)
    {
        bool isFull = flags.GetValue(_resolver) == "full";
        string folder = flags.GetValue(_folder) ?? "jwt";
        if (!isFull && flags.GetValue(_folder) is not null)
        {
            throw new UsageException("--dir needs --resolver full");
        }

        if (folder.Length == 0 || folder.Any(static c => char.IsControl(c) || c is '"'))
        {
            throw new UsageException("--dir must be a folder without quotes and control characters");
        }

        List<Token> accounts = run.Store.AllAccounts();
        if (isFull)
        {
            accounts = accounts.FindAll(a => a.Subject == run.SystemAccount);
        }

        var lines = new LineOutput(shell);
        Write(lines, $"# Operator {ValueText.Of(run.Store.Operator.Name)}, made by 'broker auth show config'.");
        Write(lines, $"operator: \"{run.Store.Operator.Text}\"");
        if (run.SystemAccount is { } system)
        {
            Write(lines, $"system_account: \"{system}\"");
        }

        Write(lines, isFull ? $"resolver {{ type: full, dir: \"{folder.Replace("\\", "\\\\", StringComparison.Ordinal)}\", allow_delete: false, interval: \"2m\" }}" : "resolver: MEMORY");
        Write(lines, "resolver_preload {");
        foreach (Token account in accounts)
        {
            Write(lines, $"  # {ValueText.Of(account.Name)}");
            Write(lines, $"  {account.Subject}: \"{account.Text}\"");
        }

        Write(lines, "}");
        lines.Flush();
        return ExitCode.Success;
    }

    private static void Write(LineOutput lines, string text)
    {
        lines.Write(text);
        lines.EndLine();
    }
}

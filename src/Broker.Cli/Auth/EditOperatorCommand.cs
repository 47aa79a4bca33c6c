using System.CommandLine;
using System.Text.Json.Nodes;
using Broker.Cli.Shell;
using Broker.Cli.Streams;

namespace Broker.Cli.Auth;

/// <summary><c>broker auth edit operator</c>.</summary>
internal sealed class EditOperatorCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker auth edit operator --expires 5y
          broker auth edit operator --system-account SYS
        """;

    private readonly ExpiryFlag _expiry = new();
    private readonly Option<bool?> _strict = StorageFlags.Switch("--strict", "Whether only signing keys may sign accounts and users");
    private readonly Option<string?> _system = new("--system-account") { Description = "Name or public key of the system account", HelpName = "name" };

    public Command Build()
    {
        var command = new Command("operator", "Changes the operator. Flags that are not given leave their claims as they are.");
        _expiry.AddTo(command);
        command.With(_strict, _system);
        return AuthCommand.Complete(command, shell, Examples, changes: true, Edit);
    }

    private int Edit(AuthRun run, ParseResult flags)
    {
        JsonObject claims = run.Store.Operator.CopyClaims();
        JsonObject nats = Token.Inner(claims, "nats");
        _expiry.ApplyTo(claims, flags);
        if (flags.GetValue(_system) is { } system)
        {
            nats["system_account"] = run.Account(system).Subject;
        }

        if (flags.GetValue(_strict) is { } isStrict)
        {
            if (isStrict && !run.Store.Operator.SigningKeys().Any())
            {
                throw new AuthException("the operator has no signing key, so nobody could sign accounts; 'broker auth add key --operator' creates one");
            }

            nats["strict_signing_key_usage"] = isStrict;
        }

        Token changed = run.SignOperator(claims);
        Done.Print(shell, isJson: false, $"changed operator {changed.Name}; servers use it after they have read their configuration again");
        return ExitCode.Success;
    }
}

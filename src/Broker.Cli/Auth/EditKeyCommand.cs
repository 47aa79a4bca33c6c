using System.CommandLine;
using System.Text.Json.Nodes;
using Broker.Cli.Shell;
using Broker.Cli.Streams;

namespace Broker.Cli.Auth;

/// <summary><c>broker auth edit key</c>: changes what the users of a role may do.</summary>
internal sealed class EditKeyCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker auth edit key sensor --account PLANT --allow-pub 'plant.>' --payload 4KB
        """;

    private readonly Argument<string> _role = new("role") { Description = "Role or public key of the signing key" };
    private readonly Option<string?> _account = AuthCommand.Account();
    private readonly UserFlags _flags = new();

    public Command Build()
    {
        Command command = new Command("key", "Changes what the users of a role may do, also of users that exist.").With(_role, _account);
        _flags.AddTo(command);
        return AuthCommand.Complete(command, shell, Examples, changes: true, Edit);
    }

    private int Edit(AuthRun run, ParseResult flags)
    {
        Token account = run.Account(flags.GetValue(_account));
        (string key, JsonObject? scope) = AuthRun.SigningKey(account, flags.GetRequiredValue(_role));
        if (scope is null)
        {
            throw new AuthException($"the signing key {key} has no role: its users have rights of their own");
        }

        JsonObject claims = account.CopyClaims();
        JsonObject changed = ((JsonArray)Token.Inner(claims, "nats")["signing_keys"]!).OfType<JsonObject>().First(s => Token.TextOf(s, "key") == key);
        _flags.ApplyTo(Token.Inner(changed, "template"), flags, isTemplate: true);
        run.SignAccount(claims);
        Done.Print(shell, isJson: false, $"changed role {Token.TextOf(scope, "role")} of account {account.Name}; 'broker auth push' sends it to a server");
        return ExitCode.Success;
    }
}

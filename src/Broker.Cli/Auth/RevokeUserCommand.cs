using System.CommandLine;
using System.Text.Json.Nodes;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Cryptography;

namespace Broker.Cli.Auth;

/// <summary><c>broker auth revoke user</c>.</summary>
internal sealed class RevokeUserCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker auth revoke user pump --account PLANT
              All tokens of this user up to now. 'broker auth edit user' makes a new one.
          broker auth revoke user '*' --account PLANT
              All tokens of all users of the account up to now.
        """;

    private const string Everybody = "*";

    private readonly Argument<string> _name = new("name") { Description = "Name or public key of the user, or * for all users" };
    private readonly Option<string?> _account = AuthCommand.Account();

    public Command Build() => AuthCommand.Complete(
        new Command("user", "Revokes the tokens of a user. A server that gets the account closes the user's connections.").With(_name, _account), shell, Examples, changes: true, Revoke);

    private int Revoke(AuthRun run, ParseResult flags)
    {
        string name = flags.GetRequiredValue(_name);
        // The user may be unknown here, for example because somebody else has made its token.
        bool isKey = name == Everybody || NkeyPair.IsPublicKey(name, NkeyKind.User);
        Token? user = isKey ? null : run.User(name, flags.GetValue(_account));
        Token account = run.Account(user?.Account ?? flags.GetValue(_account));
        JsonObject claims = account.CopyClaims();
        string key = user?.Subject ?? name;
        // A token that was made in the second of an earlier revocation is issued a second later than that.
        IEnumerable<long> issued = run.Store.UsersOf(account.Subject).Where(u => key == Everybody || u.Subject == key).Select(static u => u.IssuedAt);
        Token.Inner(Token.Inner(claims, "nats"), "revocations")[key] = issued.Append(AuthRun.Now).Max();
        run.SignAccount(claims);
        Done.Print(shell, isJson: false, $"revoked {(key == Everybody ? "all users" : $"user {name}")} of account {account.Name}; 'broker auth push' sends it to a server");
        return ExitCode.Success;
    }
}

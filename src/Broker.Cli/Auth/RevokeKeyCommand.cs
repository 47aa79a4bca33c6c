using System.CommandLine;
using System.Text.Json.Nodes;
using Broker.Cli.Shell;
using Broker.Cli.Streams;

namespace Broker.Cli.Auth;

/// <summary><c>broker auth revoke key</c>: removes a signing key, with all that it has signed.</summary>
internal sealed class RevokeKeyCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker auth revoke key sensor --account PLANT
              The users that this key has signed are refused.
          broker auth revoke key ODCH6C7W5HPFAEA3BVQHVQ5RF5ZSLQJQHSUWIKQ7BJ6W2O2YK5HGTIDN --operator
              Signs the accounts of this key again. Servers need the new operator and the new accounts.
        """;

    private readonly Argument<string> _key = new("key") { Description = "Role or public key of the signing key" };
    private readonly Option<string?> _account = AuthCommand.Account();
    private readonly Option<bool> _operator = new("--operator") { Description = "Remove a key of the operator" };

    public Command Build() => AuthCommand.Complete(
        new Command("key", "Removes a signing key from an account or from the operator.").With(_key, _account, _operator), shell, Examples, changes: true, Revoke);

    private int Revoke(AuthRun run, ParseResult flags)
    {
        bool isOperator = flags.GetValue(_operator);
        if (isOperator && flags.GetValue(_account) is not null)
        {
            throw new UsageException("--operator and --account cannot be combined");
        }

        Token owner = isOperator ? run.Store.Operator : run.Account(flags.GetValue(_account));
        string name = flags.GetRequiredValue(_key);
        (string key, _) = AuthRun.SigningKey(owner, name);
        JsonObject claims = owner.CopyClaims();
        JsonObject nats = Token.Inner(claims, "nats");
        var all = (JsonArray)nats["signing_keys"]!;
        all.Remove(all.First(node => node is JsonObject scope ? Token.TextOf(scope, "key") == key : node is JsonValue value && value.TryGetValue(out string? text) && text == key));
        if (all.Count == 0)
        {
            nats.Remove("signing_keys");
        }

        if (isOperator)
        {
            if (run.Store.IsStrict && all.Count == 0)
            {
                throw new AuthException("the operator is strict, so it needs another signing key first: 'broker auth add key --operator'");
            }

            run.SignOperator(claims);
            foreach (Token account in run.Store.AllAccounts().Where(a => a.Issuer == key))
            {
                run.SignAccount(account.CopyClaims());
            }
        }
        else
        {
            run.SignAccount(claims);
        }

        Done.Print(shell, isJson: false, $"removed signing key {name} of {owner.Kind} {owner.Name}");
        return ExitCode.Success;
    }
}

using Broker.Server;

namespace Broker.Cli.Configuration;

/// <summary>Reads the block <c>auth_callout</c> of <c>authorization</c>.</summary>
internal sealed class AuthCalloutConfig(List<ConfigProblem> problems)
{
    private const string GlobalAccount = "$G";

    public AuthCalloutOptions? Read(ConfigSection authorization)
        => authorization.Find("auth_callout") switch
        {
            null => null,
            ConfigBlock inner => Read(inner),
            var other => Wrong(other.Position),
        };

    private AuthCalloutOptions? Read(ConfigBlock block)
    {
        var section = new ConfigSection(block, problems);
        int before = problems.Count;
        string? issuer = section.Text("issuer", null);
        string? account = section.Text("account", null);
        string? curveKey = section.Text("xkey", null);
        IReadOnlyList<string> users = Names(section, "auth_users");
        IReadOnlyList<string> accounts = Names(section, "allowed_accounts");
        section.RejectTheRest();
        if (issuer is null)
        {
            section.Lacks("\"auth_callout\" needs \"issuer\": the public key that signs the answers of the service");
        }

        if (users.Count == 0 && problems.Count == before)
        {
            section.Lacks("\"auth_callout\" needs \"auth_users\": the users that the service logs in as");
        }

        if (problems.Count > before)
        {
            return null;
        }

        return new AuthCalloutOptions
        {
            Issuer = issuer!,
            Users = users,
            CurveKey = curveKey,
            AllowedAccounts = accounts,
            Account = account ?? GlobalAccount,
        };
    }

    private static IReadOnlyList<string> Names(ConfigSection section, string key)
        => section.Many(key, [], "a text in quotes or an array of texts", static text => text.Length > 0 ? text : null);

    private AuthCalloutOptions? Wrong(ConfigPosition at)
    {
        problems.Add(new ConfigProblem("\"auth_callout\" must be a block", at));
        return null;
    }
}

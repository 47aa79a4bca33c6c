using System.Text.Json.Nodes;
using Broker.Cli.Streams;

namespace Broker.Cli.Auth;

/// <summary>Shows the exports and imports of an account to a reader.</summary>
/// <param name="account">The account.</param>
/// <param name="nameOf">Returns the name of the account with a public key, as far as it is known.</param>
internal sealed class ShareFacts(Token account, Func<string, string> nameOf)
{
    public void AddTo(Facts facts)
    {
        foreach (JsonObject export in Shares.Of(account, Shares.Exports))
        {
            facts.Add("export", Shares.Describe(export) + DetailsOf(export));
        }

        foreach (JsonObject import in Shares.Of(account, Shares.Imports))
        {
            string local = Token.TextOf(import, "local_subject") is { Length: > 0 } renamed ? $" as {renamed}" : "";
            string activation = Token.TextOf(import, "token") is { Length: > 0 } text ? ", " + Describe(text) : "";
            facts.Add("import", $"{Shares.Describe(import)}{local} of {nameOf(Token.TextOf(import, "account") ?? "")}{activation}");
        }
    }

    private static string DetailsOf(JsonObject export)
    {
        int revoked = (export["revocations"] as JsonObject)?.Count ?? 0;
        return (Token.IsTrue(export, "token_req") ? ", private" : "")
            + (Token.NumberOf(export, "account_token_position") is > 0 and var position ? $", with the key of the importer at position {position}" : "")
            + (Token.TextOf(export, "response_type") is { Length: > 0 } response ? $", {response}" : "")
            + (revoked > 0 ? $", {revoked} revoked" : "");
    }

    private static string Describe(string token)
    {
        try
        {
            var activation = Token.Read(token);
            return activation.Expires is null ? "with an activation" : $"with an activation until {TokenFacts.Expiry(activation)}";
        }
        catch (FormatException)
        {
            return "with a damaged activation";
        }
    }
}

using System.Buffers.Text;
using System.Globalization;
using System.Text;
using System.Text.Json;

namespace Broker.TestKit.Security;

/// <summary>An operator with an account and a system account, and JWTs that they sign.</summary>
public sealed class JwtSite
{
    /// <summary>The claim <c>limits</c> of an account without limits.</summary>
    public const string NoLimits = "\"limits\":{\"subs\":-1,\"data\":-1,\"payload\":-1,\"imports\":-1,\"exports\":-1,\"wildcards\":true,\"conn\":-1,\"leaf\":-1}";

    /// <summary>The claims of a user without limits.</summary>
    public const string NoUserLimits = "\"subs\":-1,\"data\":-1,\"payload\":-1";

    /// <summary>The key of the operator.</summary>
    public JwtKey Operator { get; } = JwtKey.ForOperator();

    /// <summary>The key of the account.</summary>
    public JwtKey Account { get; } = JwtKey.ForAccount();

    /// <summary>The key of the system account.</summary>
    public JwtKey System { get; } = JwtKey.ForAccount();

    /// <summary>The JWT of the operator.</summary>
    /// <param name="claims">More claims, each with a comma at its end.</param>
    public string OperatorJwt(string claims = "") => Operator.Sign(Operator.Public, $"{claims}\"type\":\"operator\",\"version\":2");

    /// <summary>Creates the JWT of an account, which the operator signs.</summary>
    /// <param name="account">The key of the account.</param>
    /// <param name="claims">The claims, each with a comma at its end. Default: no limits.</param>
    /// <param name="more">More claims outside of <c>nats</c>, each with a comma at its end.</param>
    public string AccountJwt(JwtKey account, string claims = NoLimits + ",", string more = "")
    {
        ArgumentNullException.ThrowIfNull(account);
        return Operator.Sign(account.Public, $"{claims}\"type\":\"account\",\"version\":2", more);
    }

    /// <summary>Creates the JWT of a user, which the account signs.</summary>
    /// <param name="user">The key of the user.</param>
    /// <param name="claims">The claims, each with a comma at its end. Default: no limits.</param>
    /// <param name="more">More claims outside of <c>nats</c>, each with a comma at its end.</param>
    /// <param name="signer">The key that signs. Default: the account's.</param>
    public string UserJwt(JwtKey user, string claims = NoUserLimits + ",", string more = "", JwtKey? signer = null)
    {
        ArgumentNullException.ThrowIfNull(user);
        return (signer ?? Account).Sign(user.Public, $"{claims}\"type\":\"user\",\"version\":2", more);
    }

    /// <summary>Returns JWTs by the public keys that they are for.</summary>
    public static IReadOnlyDictionary<string, string> ByAccount(params IEnumerable<string> jwts)
        => jwts.ToDictionary(SubjectOf, StringComparer.Ordinal);

    /// <summary>Creates the CONNECT of a user: its JWT and its signature of the nonce.</summary>
    public static string Connect(string jwt, JwtKey user, string nonce)
    {
        ArgumentNullException.ThrowIfNull(user);
        string signature = Base64Url.EncodeToString(user.Sign(Encoding.ASCII.GetBytes(nonce)));
        return string.Create(CultureInfo.InvariantCulture, $$"""CONNECT {"verbose":false,"pedantic":false,"protocol":1,"jwt":"{{jwt}}","sig":"{{signature}}"}""") + "\r\n";
    }

    private static string SubjectOf(string jwt)
    {
        using var claims = JsonDocument.Parse(Base64Url.DecodeFromChars(jwt.Split('.')[1]));
        return claims.RootElement.GetProperty("sub").GetString()!;
    }
}

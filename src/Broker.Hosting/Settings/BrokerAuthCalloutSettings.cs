using Broker.Server;

namespace Broker.Hosting;

/// <summary>
/// A service that decides which clients may connect: the section <c>Broker:AuthCallout</c>. It needs the package
/// <c>Broker.Cryptography</c>: <c>AddBroker(broker => broker.Configure(o => o.UseCryptography()))</c>.
/// </summary>
public sealed class BrokerAuthCalloutSettings
{
    /// <summary>See <see cref="AuthCalloutOptions.Issuer"/>.</summary>
    public string? Issuer { get; set; }

    /// <summary>See <see cref="AuthCalloutOptions.Account"/>.</summary>
    public string? Account { get; set; }

    /// <summary>See <see cref="AuthCalloutOptions.Users"/>.</summary>
    public IList<string> Users { get; } = [];

    /// <summary>See <see cref="AuthCalloutOptions.CurveKey"/>.</summary>
    public string? CurveKey { get; set; }

    /// <summary>See <see cref="AuthCalloutOptions.AllowedAccounts"/>.</summary>
    public IList<string> AllowedAccounts { get; } = [];

    internal AuthCalloutOptions ToOptions()
    {
        var options = new AuthCalloutOptions
        {
            Issuer = !string.IsNullOrEmpty(Issuer) ? Issuer : throw new ArgumentException("AuthCallout:Issuer: it is missing."),
            Users = Users.Count > 0 ? [.. Users] : throw new ArgumentException("AuthCallout:Users: it is missing: the users that the service logs in as."),
            CurveKey = CurveKey,
            AllowedAccounts = [.. AllowedAccounts],
        };
        return Account is null ? options : new AuthCalloutOptions
        {
            Issuer = options.Issuer,
            Users = options.Users,
            CurveKey = options.CurveKey,
            AllowedAccounts = options.AllowedAccounts,
            Account = Account,
        };
    }
}

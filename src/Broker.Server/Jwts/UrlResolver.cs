using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// Reads the JWT of an account from a web server: the server gets the URL followed by the public key of the account.
/// Immutable.
/// </summary>
public sealed class UrlResolver : AccountResolver
{
    /// <summary>Creates a resolver.</summary>
    /// <param name="url">An address of HTTP or HTTPS, usually with a slash at its end.</param>
    public UrlResolver(Uri url)
    {
        ArgumentNullException.ThrowIfNull(url);
        Url = url;
    }

    /// <summary>The address that the public key of an account is appended to.</summary>
    public Uri Url { get; }

    /// <summary>The certificates and the authorities for HTTPS. Null, the default: those of the system.</summary>
    public ClientTlsOptions? Tls { get; init; }

    /// <summary>
    /// The time after which the server fetches the accounts in use again, to apply newer JWTs. Default: 10 minutes. An
    /// account whose JWT has expired is also fetched when a user of it connects.
    /// </summary>
    public TimeSpan Interval { get; init; } = TimeSpan.FromMinutes(10);

    /// <inheritdoc/>
    internal override bool IsSameAs(AccountResolver? other)
        => base.IsSameAs(other) && other is UrlResolver same && Url == same.Url && Interval == same.Interval && (Tls is null) == (same.Tls is null);

    /// <inheritdoc/>
    internal override void Validate()
    {
        base.Validate();
        if (!Url.IsAbsoluteUri || Url.Scheme is not ("http" or "https"))
        {
            throw new ArgumentException("The URL of the resolver is not an address that begins with \"http://\" or \"https://\".");
        }

        if (Interval <= TimeSpan.Zero || Interval > TimeSpan.FromDays(1))
        {
            throw new ArgumentException($"{nameof(Interval)} of the resolver is {Interval}, but must be more than zero and at most one day.");
        }

        // This reads the files.
        _ = Tls is null ? null : new ClientTlsContext(Tls);
    }
}

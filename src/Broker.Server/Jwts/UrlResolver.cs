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

    /// <inheritdoc/>
    internal override bool IsSameAs(AccountResolver? other)
        => base.IsSameAs(other) && other is UrlResolver same && Url == same.Url && (Tls is null) == (same.Tls is null);

    /// <inheritdoc/>
    internal override void Validate()
    {
        base.Validate();
        if (!Url.IsAbsoluteUri || Url.Scheme is not ("http" or "https"))
        {
            throw new ArgumentException("The URL of the resolver is not an address that begins with \"http://\" or \"https://\".");
        }

        // This reads the files.
        _ = Tls is null ? null : new ClientTlsContext(Tls);
    }
}

namespace Broker.Server;

public sealed partial class User
{
    /// <summary>Whether the user can only authenticate by a certificate.</summary>
    internal bool HasCertificateOnly { get; private init; }

    /// <summary>
    /// Creates a user without a password that authenticates by a client certificate. This requires
    /// <see cref="ServerTlsOptions.MapUsers"/> or <see cref="BrokerServerOptions.MapWebSocketUsers"/>. With these
    /// options, a user with a password needs both: a certificate that names the user, and the password.
    /// </summary>
    /// <param name="name">
    /// An e-mail address, DNS name or URI that is an alternative name of the certificate, or the subject of the
    /// certificate as text, such as <c>CN=pump,OU=plant,O=Example</c> (RFC 4514).
    /// </param>
    /// <param name="permissions">
    /// The user's permissions; null for <see cref="BrokerServerOptions.DefaultPermissions"/>.
    /// </param>
    public static User WithCertificate(string name, Permissions? permissions = null)
        => new(name, "", permissions) { HasCertificateOnly = true };
}

namespace Broker.Server.Security;

public sealed partial class User
{
    /// <summary>Whether it comes in by its certificate or not at all.</summary>
    internal bool HasCertificateOnly { get; private init; }

    /// <summary>
    /// A user that is known by its certificate and has no password; needs <see cref="Tls.ServerTlsOptions.MapUsers"/> or
    /// <see cref="BrokerServerOptions.MapWebSocketUsers"/>. (A user with a password can come by a certificate too.)
    /// </summary>
    /// <param name="name">
    /// An e-mail address, DNS name or URI that is an alternative name of the certificate, or its subject as text, such as
    /// <c>CN=pump,OU=plant,O=Example</c> (RFC 4514).
    /// </param>
    /// <param name="permissions">What it may do; null for <see cref="BrokerServerOptions.DefaultPermissions"/>.</param>
    public static User WithCertificate(string name, Permissions? permissions = null) => new(name, "", permissions) { HasCertificateOnly = true };
}

using System.Security.Cryptography.X509Certificates;

namespace Broker.Server;

// Maps client certificates to users, as verify_and_map of nats-server does.
internal sealed partial class SecurityRules
{
    private Dictionary<string, Principal>? _subjects;

    /// <summary>Whether there are users that a certificate can identify.</summary>
    internal bool HasUsers => _users.Count != 0;

    // The dictionary is created on first use. Two threads may create equal dictionaries at the same time.
    private Dictionary<string, Principal> Subjects => _subjects ??= ReadSubjects();

    /// <summary>
    /// Checks the credentials of a client whose certificate names its user. As in nats-server, a user with a password
    /// needs the certificate and the password. The credentials must not name another user. If the user has no password,
    /// the credentials must not contain a password.
    /// </summary>
    /// <param name="certificate">The verified client certificate; null for none.</param>
    /// <param name="credentials">The credentials in the CONNECT.</param>
    internal Verdict CheckMapped(X509Certificate2? certificate, Credentials credentials)
    {
        if (Identify(certificate) is not { } principal
            || (!string.IsNullOrEmpty(credentials.User)
                && !string.Equals(credentials.User, principal.Name, StringComparison.Ordinal)))
        {
            return default;
        }

        if (principal.User!.HasCertificateOnly)
        {
            return string.IsNullOrEmpty(credentials.Password) ? new Verdict(principal) : default;
        }

        return Check(_users[principal.Name!].Secret, credentials.Password ?? "", principal);
    }

    /// <summary>
    /// Returns the reason why the certificate and the credentials of a client identify no user. The text contains all
    /// names of the certificate that were looked up.
    /// </summary>
    internal string ExplainMapped(X509Certificate2? certificate)
        => certificate is null ? "it has no certificate"
            : Identify(certificate) is { } principal ? $"its certificate is that of user {principal.Name}, but its credentials are not"
            : "no user has a name of its certificate: "
                + string.Join(", ", CertificateNames.Alternative(certificate).Append(certificate.Subject).Where(static name => name.Length > 0));

    /// <summary>
    /// Finds the user that a verified client certificate identifies; null if there is no certificate or no such user.
    /// </summary>
    private Principal? Identify(X509Certificate2? certificate)
    {
        if (certificate is null)
        {
            return null;
        }

        foreach (string name in CertificateNames.Alternative(certificate))
        {
            if (_users.TryGetValue(name, out (Principal Principal, Secret Secret) user))
            {
                return user.Principal;
            }
        }

        foreach (string key in DistinguishedName.KeysOf(certificate.SubjectName.RawData))
        {
            if (Subjects.TryGetValue(key, out Principal? principal))
            {
                return principal;
            }
        }

        return null;
    }

    private Dictionary<string, Principal> ReadSubjects()
    {
        var subjects = new Dictionary<string, Principal>(StringComparer.Ordinal);
        foreach ((string name, (Principal principal, _)) in _users)
        {
            if (DistinguishedName.TryGetKey(name, out string? key))
            {
                subjects.TryAdd(key, principal);
            }
        }

        return subjects;
    }
}

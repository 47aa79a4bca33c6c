using System.Security.Cryptography.X509Certificates;

namespace Broker.Interop.Tests.Harness;

/// <summary>Certificates of a server and of its clients, by their names in the tests.</summary>
public sealed class SessionCertificates : IDisposable
{
    private readonly TestCertificates _certificates = new();
    private readonly TestCertificates _strangers = new();
    private readonly Dictionary<string, (string Certificate, string Key)> _files = new(StringComparer.Ordinal);

    public SessionCertificates()
    {
        Write("server", _certificates.SignForBoth("CN=server", TestCertificates.AddLoopback));
        Write("ada", _certificates.SignForBoth("CN=Ada", static names => names.AddEmailAddress("ada@example.org")));
        Write("bob", _certificates.SignForBoth("CN=bob"));
        Write("mallory", _strangers.SignForBoth("CN=bob"));
    }

    public string CertificateFile => _files["server"].Certificate;

    public string KeyFile => _files["server"].Key;

    public string AuthorityFile => _certificates.AuthorityFile;

    /// <summary>
    /// The keys of a <c>tls</c> block with the server's certificate and enough time for the handshake on a slow
    /// machine.
    /// </summary>
    public string ServerKeys => KeysWithTimeout("60");

    public string KeysWithTimeout(string seconds)
        => $"cert_file: \"{CertificateFile}\", key_file: \"{KeyFile}\", ca_file: \"{AuthorityFile}\", timeout: {seconds}";

    /// <summary>The option of a session that trusts the authority of the server's certificate.</summary>
    public string Trust => "ca=" + AuthorityFile;

    /// <summary>
    /// The option of a session that trusts only an authority that did not sign the server's certificate.
    /// </summary>
    public string WrongTrust => "ca=" + _strangers.AuthorityFile;

    /// <summary>
    /// The options of a session that shows a client certificate: of <c>ada</c>, who has the mail address
    /// ada@example.org; of <c>bob</c>, who has only a name; of <c>mallory</c>, who has bob's name from another
    /// authority; or of the <c>server</c>.
    /// </summary>
    public string[] Client(string name) => [Trust, "cert=" + _files[name].Certificate, "key=" + _files[name].Key];

    public void Dispose()
    {
        _certificates.Dispose();
        _strangers.Dispose();
    }

    private void Write(string name, X509Certificate2 certificate)
    {
        using (certificate)
        {
            _files.Add(name, _certificates.Write("session-" + name, certificate));
        }
    }
}

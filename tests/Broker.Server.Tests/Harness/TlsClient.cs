using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using System.Text;

namespace Broker.Server.Tests.Harness;

/// <summary>A TLS client that sends exactly the given text. Every wait has a timeout.</summary>
internal sealed class TlsClient : IDisposable
{
    private readonly RawClient _raw;
    private readonly SslStream _ssl;

    private TlsClient(RawClient raw, SslStream ssl)
    {
        _raw = raw;
        _ssl = ssl;
    }

    /// <summary>The INFO line if it was received unencrypted.</summary>
    internal string Info { get; private init; } = "";

    internal SslStream Stream => _ssl;

    /// <summary>Connects, reads INFO, and performs the handshake.</summary>
    /// <exception cref="IOException">The server closed the connection.</exception>
    /// <exception cref="AuthenticationException">The handshake failed.</exception>
    internal static TlsClient Open(
        EndPoint server, X509Certificate2? certificate = null, bool first = false, SslProtocols protocols = SslProtocols.None, X509Certificate2? authority = null)
    {
        var raw = new RawClient(server);
        try
        {
            string info = first ? "" : raw.ReadLine();
            var ssl = new SslStream(new NetworkStream(raw.Socket));
            ssl.AuthenticateAsClient(new SslClientAuthenticationOptions
            {
                TargetHost = "localhost",
                EnabledSslProtocols = protocols,
                ClientCertificates = certificate is null ? null : [certificate],
                CertificateChainPolicy = new X509ChainPolicy
                {
                    TrustMode = X509ChainTrustMode.CustomRootTrust,
                    CustomTrustStore = { authority ?? TestCertificates.Common.Authority },
                    RevocationMode = X509RevocationMode.NoCheck,
                },
            });
            return new TlsClient(raw, ssl) { Info = info };
        }
        catch
        {
            raw.Dispose();
            throw;
        }
    }

    internal void Send(string text) => _ssl.Write(Encoding.Latin1.GetBytes(text));

    /// <summary>Reads the next line with its line end; empty at the end of the stream.</summary>
    internal string ReadLine()
    {
        var line = new StringBuilder();
        try
        {
            for (int c = _ssl.ReadByte(); c >= 0; c = _ssl.ReadByte())
            {
                line.Append((char)c);
                if (c == '\n')
                {
                    break;
                }
            }
        }
        catch (IOException e) when (e.InnerException is not SocketException { SocketErrorCode: SocketError.TimedOut })
        {
            // The connection was closed without a TLS close.
        }

        return line.ToString();
    }

    /// <summary>Reads the next line that is not a PING.</summary>
    internal string ReadAnswer()
    {
        string line = ReadLine();
        while (line == "PING\r\n")
        {
            line = ReadLine();
        }

        return line;
    }

    /// <summary>Sends CONNECT and PING, and returns the reply of the server.</summary>
    internal string Connect(string json = "{\"verbose\":false,\"pedantic\":false}")
    {
        try
        {
            Send($"CONNECT {json}\r\nPING\r\n");
        }
        catch (IOException)
        {
            // The server has refused the certificate meanwhile. The next read reports this.
        }

        return ReadAnswer();
    }

    public void Dispose()
    {
        _ssl.Dispose();
        _raw.Dispose();
    }
}

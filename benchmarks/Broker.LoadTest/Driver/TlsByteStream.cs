using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;

namespace Broker.LoadTest.Driver;

/// <summary>TLS over a socket after INFO, as the protocol requires.</summary>
internal sealed class TlsByteStream : ByteStream
{
    private readonly SslStream _tls;

    public TlsByteStream(Socket socket, CertificateFiles certificate)
        : base(socket)
    {
        _tls = new SslStream(new NetworkStream(socket), leaveInnerStreamOpen: false, (_, shown, _, _) => certificate.Matches(shown));
        try
        {
            _tls.AuthenticateAsClient("localhost");
        }
        catch (Exception e) when (e is AuthenticationException or IOException)
        {
            throw new DriverException($"The TLS handshake failed: {e.Message}", e);
        }
    }

    public override int Send(ReadOnlySpan<byte> bytes)
    {
        try
        {
            _tls.Write(bytes);
            return bytes.Length;
        }
        catch (IOException e)
        {
            throw e.InnerException as SocketException ?? new SocketException((int)SocketError.ConnectionAborted);
        }
    }

    public override int Receive(Span<byte> into)
    {
        try
        {
            return _tls.Read(into);
        }
        catch (IOException e)
        {
            // An exception without a SocketException inside means that the stream ended within a record.
            throw e.InnerException as SocketException ?? new SocketException((int)SocketError.ConnectionReset);
        }
    }

    protected override void Dispose(bool disposing)
    {
        _tls.Dispose();
        base.Dispose(disposing);
    }
}

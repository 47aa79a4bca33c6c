using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Broker.Server.Tests.Harness;

namespace Broker.Server.Tests.Allocation;

/// <summary>A client that allocates nothing in its repeated operations, with or without TLS.</summary>
internal sealed class LoadPeer : IDisposable
{
    // The last bytes of the answer to PING. No payload of a row ends with them.
    private const ulong Pong = 0x50_4F_4E_47_0D_0A;
    private const int PongLength = 6;

    private readonly byte[] _scratch = new byte[64 * 1024];
    private readonly RawClient _raw;
    private readonly Stream _stream;

    private LoadPeer(RawClient raw, bool tls)
    {
        _raw = raw;
        _stream = new PolledStream(raw.Socket);
        if (!tls)
        {
            return;
        }

        var ssl = new SslStream(_stream);
        ssl.AuthenticateAsClient(new SslClientAuthenticationOptions
        {
            TargetHost = "localhost",
            CertificateChainPolicy = new X509ChainPolicy
            {
                TrustMode = X509ChainTrustMode.CustomRootTrust,
                CustomTrustStore = { TestCertificates.Common.Authority },
                RevocationMode = X509RevocationMode.NoCheck,
            },
        });
        _stream = ssl;
    }

    internal static LoadPeer Open(BrokerServer server, bool tls, string connect)
    {
        var raw = new RawClient(server.EndPoints[0]);
        Assert.StartsWith("INFO {", raw.ReadLine(), StringComparison.Ordinal);
        var peer = new LoadPeer(raw, tls);
        peer.Send(Encoding.ASCII.GetBytes(connect));
        return peer;
    }

    internal void Send(ReadOnlySpan<byte> bytes) => _stream.Write(bytes);

    /// <summary>Sends bytes and returns the number of bytes that it will receive for them.</summary>
    internal int Say(string text)
    {
        Send(Encoding.ASCII.GetBytes(text + "PING\r\n"));
        return ReadToPong();
    }

    /// <summary>
    /// Waits for the server's first PING, which comes soon after CONNECT. The next one comes after the end of the test.
    /// </summary>
    internal void AnswerFirstPing()
    {
        Drop("PING\r\n".Length);
        Send("PONG\r\n"u8);
    }

    /// <summary>Reads until the PONG and returns the number of bytes before it.</summary>
    internal int ReadToPong()
    {
        int count = 0;
        for (ulong tail = 0; tail != Pong;)
        {
            int got = Read(_scratch.Length);
            count += got;
            foreach (byte b in _scratch.AsSpan(Math.Max(0, got - PongLength)..got))
            {
                tail = ((tail << 8) | b) & 0xFFFF_FFFF_FFFF;
            }
        }

        return count - PongLength;
    }

    internal void Drop(int count)
    {
        while (count > 0)
        {
            count -= Read(Math.Min(count, _scratch.Length));
        }
    }

    public void Dispose()
    {
        _stream.Dispose();
        _raw.Dispose();
    }

    private int Read(int most)
    {
        int got = _stream.Read(_scratch.AsSpan(0, most));
        // Other assertions allocate.
        Assert.True(got > 0);
        return got;
    }
}

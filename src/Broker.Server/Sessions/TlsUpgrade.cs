using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// Starts TLS on a client's connection before any operation of the client is parsed. The client counts as connected
/// before the handshake. So MaxConnections also limits the handshakes, which cost more than everything after them.
/// Plain text that the client sends before the handshake makes the handshake fail and is never parsed. Runs on the
/// connection's loop.
/// </summary>
internal sealed class TlsUpgrade(ServerTls tls, ClientChannel channel, ITlsUpgradeOwner owner)
{
    private const string TlsRequired = "Secure Connection - TLS Required";

    private LoopTimer? _timer;
    private bool _infoSent;
    private long _receivedBefore;

    /// <summary>The TLS settings at the time when this client connected.</summary>
    internal ServerTls Tls => tls;

    /// <summary>
    /// Whether the server waits for the first byte of the client, which decides whether the connection uses TLS.
    /// </summary>
    internal bool AwaitsFirstByte { get; private set; }

    internal bool IsInHandshake { get; private set; }

    /// <summary>Whether the handshake came before INFO. Thread-safe.</summary>
    internal bool WasFirst { get; private set; }

    /// <summary>Begins the upgrade when the connection is open.</summary>
    internal void Begin()
    {
        if (!tls.IsFirst)
        {
            SendInfoUnencrypted();
        }
        else if (!owner.TryAdmit(out string refusal))
        {
            // The client cannot read a plain text error, and an encrypted error would cost a handshake.
            channel.Server.Log.Refused(channel.Id, channel.RemoteEndPoint, refusal);
            channel.CloseSilently(refusal);
        }
        else if (tls.Fallback == TimeSpan.Zero)
        {
            StartTls();
        }
        else
        {
            AwaitFirstByte(tls.Fallback, SendInfoUnencrypted);
        }
    }

    /// <summary>
    /// Handles the first bytes of a client while <see cref="AwaitsFirstByte"/> is true. Returns the number of consumed
    /// bytes. If <see cref="IsInHandshake"/> is true afterwards, the remaining bytes belong to TLS; otherwise they are
    /// plain text operations.
    /// </summary>
    internal int Receive(ReadOnlySpan<byte> bytes)
    {
        if (bytes.IsEmpty || channel.IsEnded)
        {
            return bytes.Length;
        }

        bool hello = TlsDescription.StartsHandshake(bytes[0]);
        if (!hello && !_infoSent)
        {
            SendInfoUnencrypted();
        }

        if (channel.IsEnded)
        {
            return bytes.Length;
        }

        if (hello)
        {
            StartTls();
        }
        else if (!IsInHandshake)
        {
            ContinueWithoutTls();
        }

        return 0;
    }

    /// <summary>
    /// Ends the upgrade when the connection is closed. Logs an error of TLS; returns any other error for the caller to
    /// log.
    /// </summary>
    /// <param name="error">The error of the connection; null for none.</param>
    /// <param name="hasConnected">Whether a CONNECT of the client has been accepted.</param>
    internal Exception? End(Exception? error, bool hasConnected)
    {
        StopWaiting();
        if (IsInHandshake)
        {
            // A client that only tries the port sends nothing.
            bool hasBegun = channel.Connection.ReceivedBytes != _receivedBefore;
            channel.SetFailure(TlsRequired);
            channel.Server.Log.HandshakeFailed(channel.Id, channel.RemoteEndPoint, error, hasBegun);
            return null;
        }

        // SslStream of .NET completes the handshake before it rejects a certificate.
        if (!hasConnected && !channel.IsEnded && channel.Connection.TlsDescription is not null)
        {
            channel.Server.Log.HandshakeFailed(channel.Id, channel.RemoteEndPoint, error, hasBegun: true);
            return null;
        }

        if (error is IOException or AuthenticationException)
        {
            channel.Server.Log.TlsFailed(channel.Id, channel.RemoteEndPoint, error);
            return null;
        }

        return error;
    }

    private void SendInfoUnencrypted()
    {
        bool hasPlace = tls.IsFirst;
        StopWaiting();
        if (channel.IsEnded)
        {
            return;
        }

        owner.SendInfo();
        _infoSent = true;
        if (!hasPlace && !owner.TryAdmit(out string refusal))
        {
            channel.Server.Log.Refused(channel.Id, channel.RemoteEndPoint, refusal);
            channel.Fail(refusal);
        }
        else if (tls.IsOptional)
        {
            AwaitFirstByte(tls.Timeout, ContinueWithoutTls);
        }
        else
        {
            StartTls();
        }
    }

    private void AwaitFirstByte(TimeSpan timeout, Action onTimeout)
    {
        AwaitsFirstByte = true;
        _timer = channel.Loop.StartTimer(timeout, onTimeout);
    }

    private void StartTls()
    {
        StopWaiting();
        IsInHandshake = true;
        _receivedBefore = channel.Connection.ReceivedBytes;
        WasFirst = !_infoSent;
        channel.Connection.StartTls(tls.Authentication, tls.Timeout, OnStarted);
    }

    private void OnStarted(Connection connection)
    {
        IsInHandshake = false;
        X509Certificate2? certificate = connection.TlsDescription!.RemoteCertificate;
        if (channel.IsEnded)
        {
            return;
        }

        if (!_infoSent)
        {
            owner.SendInfo();
            _infoSent = true;
        }

        owner.OnUpgraded(certificate);
    }

    private void ContinueWithoutTls()
    {
        StopWaiting();
        if (!channel.IsEnded)
        {
            owner.OnUpgraded(null);
        }
    }

    private void StopWaiting()
    {
        AwaitsFirstByte = false;
        _timer?.Cancel();
        _timer = null;
    }
}

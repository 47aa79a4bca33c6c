using Broker.Transport;
using Broker.ZeroMq.Zmtp;
using Broker.ZeroMq.Zmtp.Framing;
using Broker.ZeroMq.Zmtp.Handshake;

namespace Broker.ZeroMq.Sockets;

internal abstract partial class PeerSession
{
    // For the ERROR command that tells a refused peer why.
    private static readonly TimeSpan LastWords = TimeSpan.FromSeconds(1);

    private ZmtpHandshake? _handshake;
    private LoopTimer? _handshakeTimer;
    private volatile bool _taken;

    private void StartHandshake()
    {
        _handshake = new ZmtpHandshake(Socket.Handshake);

        // One limit for all of it: a greeting that trickles in gains nothing.
        _handshakeTimer = Loop.StartTimer(
            Socket.CommonOptions.HandshakeTimeout, () => Refuse("the handshake took too long"));
        int needed = 0;
        Shake([], ref needed);
    }

    private int Shake(ReadOnlySpan<byte> bytes, ref int needed)
    {
        var handshake = _handshake!;
        var stage = Stage;
        var step = handshake.Advance(bytes, stage.GetSpan(handshake.MaxOutputSize));
        stage.Advance(step.Written);
        needed = step.Needed;
        if (step.State == ZmtpHandshakeState.Failed)
        {
            Refuse(FailureOf(handshake), step.Written == 0 ? TimeSpan.Zero : LastWords);
        }
        else if (step.State == ZmtpHandshakeState.Active)
        {
            Welcome(handshake.Peer!);
        }

        return step.Consumed;
    }

    private void Welcome(ZmtpPeer zmtp)
    {
        _handshakeTimer?.Cancel();
        _handshakeTimer = null;
        _handshake = null;
        Peer = new ZeroMqPeer(this, Socket.NextPeerId(), zmtp);
        if (Socket.CommonOptions.AcceptPeer?.Invoke(Peer) is { } reason)
        {
            var stage = Stage;
            stage.Advance(ZmtpCommandWriter.WriteError(stage.GetSpan(ZmtpCommandWriter.MaxErrorSize), reason));
            Refuse(reason, LastWords);
            return;
        }

        if (IsOver)
        {
            return;
        }

        StartHeartbeat(zmtp);
        _taken = true;
        OnTaken();
        Report(ZeroMqEventKind.PeerConnected, reason: null);
    }

    private static string FailureOf(ZmtpHandshake handshake) => handshake.PeerReason is { Length: > 0 } reason
        ? $"{ZmtpErrors.Text(handshake.Error)}: {reason}"
        : ZmtpErrors.Text(handshake.Error);
}

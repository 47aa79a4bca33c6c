using Broker.Transport;
using Broker.ZeroMq.Endpoints;
using Broker.ZeroMq.Mechanisms;
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
    private string _userId = "";
    private ZmtpCipher? _cipher;

    private void StartHandshake()
    {
        var options = Socket.CommonOptions;
        // Who is in this process is the program itself.
        bool isOurs = ZeroMqEndpoint.IsInprocText(Endpoint);
        var security = isOurs ? ZeroMqSecurity.Null : options.Security;
        bool asks = !isOurs && options.Authenticate is not null && (Link is null || security.IsServer);
        _handshake = new ZmtpHandshake(Socket.Handshake, security.Create(asks));

        // One limit for all of it: a greeting that trickles in gains nothing.
        _handshakeTimer = Loop.StartTimer(options.HandshakeTimeout, () => Refuse("the handshake took too long"));
        int needed = 0;
        Shake([], ref needed);
    }

    private int Shake(ReadOnlySpan<byte> bytes, ref int needed)
    {
        int consumed = 0;
        do
        {
            var handshake = _handshake!;
            var stage = Stage;
            var step = handshake.Advance(bytes[consumed..], stage.GetSpan(handshake.MaxOutputSize));
            stage.Advance(step.Written);
            consumed += step.Consumed;
            needed = step.Needed;
            Follow(handshake, step.Written != 0);
            if (step.State != ZmtpHandshakeState.Admission)
            {
                break;
            }
        }
        while (_handshake is { State: ZmtpHandshakeState.Mechanism } && !IsOver);
        return consumed;
    }

    private void Follow(ZmtpHandshake handshake, bool hasLastWords)
    {
        switch (handshake.State)
        {
            case ZmtpHandshakeState.Failed:
                Refuse(FailureOf(handshake), hasLastWords ? LastWords : TimeSpan.Zero);
                break;
            case ZmtpHandshakeState.Admission:
                Ask(handshake);
                break;
            case ZmtpHandshakeState.Active:
                Welcome(handshake);
                break;
        }
    }

    // Nothing of the peer is read until the application has said its word.
    private void Ask(ZmtpHandshake handshake)
    {
        var options = Socket.CommonOptions;
        var credentials = new ZeroMqCredentials(Address, Endpoint, options.Security.Mechanism, handshake.Credentials, handshake.Peer!);
        Task<ZeroMqAdmission?> answer = AskAsync(options.Authenticate!, credentials);
        if (answer.IsCompletedSuccessfully)
        {
            Decide(handshake, answer.Result);
            return;
        }

        Connection.PauseReceiving();
        _ = AwaitAsync(handshake, answer);
    }

    // Null where the application has failed to say anything.
    private static async Task<ZeroMqAdmission?> AskAsync(
        Func<ZeroMqCredentials, ValueTask<ZeroMqAdmission>> authenticate, ZeroMqCredentials credentials)
    {
        try
        {
            return await authenticate(credentials).ConfigureAwait(false);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            return null;
        }
    }

    private async Task AwaitAsync(ZmtpHandshake handshake, Task<ZeroMqAdmission?> answer)
    {
        ZeroMqAdmission? admission = await answer.ConfigureAwait(false);
        _ = Loop.TryPost(() =>
        {
            if (!IsOver)
            {
                // First, so that a peer may be paused again by what its admission leads to.
                Connection.ResumeReceiving();
                Decide(handshake, admission);
            }
        });
    }

    private void Decide(ZmtpHandshake handshake, ZeroMqAdmission? answer)
    {
        var stage = Stage;
        var output = stage.GetSpan(handshake.MaxOutputSize);
        if (answer is not { } admission)
        {
            stage.Advance(handshake.Deny("500", output));
            Refuse($"{ZmtpErrors.Text(ZmtpError.NotAdmitted)}: the authentication failed", LastWords);
            return;
        }

        if (!admission.IsAdmitted)
        {
            stage.Advance(handshake.Deny("400", output));
            Refuse($"{ZmtpErrors.Text(ZmtpError.NotAdmitted)}: {ZmtpErrors.Printable(admission.Reason)}", LastWords);
            return;
        }

        _userId = admission.UserId;
        int written = handshake.Admit(output);
        stage.Advance(written);
        if (handshake.State != ZmtpHandshakeState.Mechanism)
        {
            Follow(handshake, written != 0);
        }
    }

    private void Welcome(ZmtpHandshake handshake)
    {
        var zmtp = handshake.Peer!;
        _handshakeTimer?.Cancel();
        _handshakeTimer = null;
        _cipher = handshake.TakeCipher(Socket.InboundLimits);
        EndHandshake();
        Peer = new ZeroMqPeer(this, Socket.NextPeerId(), zmtp, _userId);
        if ((Socket.CommonOptions.AcceptPeer?.Invoke(Peer) ?? Socket.RefusalOf(this)) is { } reason)
        {
            if (zmtp.UnderstandsCommands)
            {
                var stage = Stage;
                stage.Advance(ZmtpCommandWriter.WriteError(stage.GetSpan(ZmtpCommandWriter.MaxErrorSize), reason));
            }

            _cipher?.Dispose();
            Refuse(reason, LastWords);
            return;
        }

        if (IsOver)
        {
            _cipher?.Dispose();
            return;
        }

        if (_cipher is not null)
        {
            Connection.StartRecords(_cipher);
        }

        StartHeartbeat(zmtp);
        _taken = true;
        OnTaken();
        Report(ZeroMqEventKind.PeerConnected, reason: null);
    }

    private void EndHandshake()
    {
        _handshake?.Wipe();
        _handshake = null;
    }

    private static string FailureOf(ZmtpHandshake handshake) => handshake.PeerReason is { Length: > 0 } reason
        ? $"{ZmtpErrors.Text(handshake.Error)}: {reason}"
        : ZmtpErrors.Text(handshake.Error);
}

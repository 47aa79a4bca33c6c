using Broker.Transport;

namespace Broker.ZeroMq.Loops;

internal abstract partial class PeerSession
{
    // The time for sending the ERROR command that contains the reason of a refusal.
    private static readonly TimeSpan ErrorLinger = TimeSpan.FromSeconds(1);

    private ZmtpHandshake? _handshake;
    private LoopTimer? _handshakeTimer;
    private volatile bool _accepted;
    private string _userId = "";
    private ZmtpCipher? _cipher;

    private void StartHandshake()
    {
        var options = Socket.CommonOptions;
        // A peer within this process needs no security.
        bool isOurs = ZeroMqEndpoint.IsInprocText(Endpoint);
        var security = isOurs ? ZeroMqSecurity.Null : options.Security;
        bool asks = !isOurs && options.Authenticate is not null && (Link is null || security.IsServer);
        _handshake = new ZmtpHandshake(Socket.Handshake, security.Create(asks, binds: Link is null));

        // One limit for the whole handshake: a peer gains nothing by sending its greeting slowly.
        _handshakeTimer = Loop.StartTimer(options.HandshakeTimeout, () => Refuse("the handshake took too long"));
        int needed = 0;
        AdvanceHandshake([], ref needed);
    }

    private int AdvanceHandshake(ReadOnlySpan<byte> bytes, ref int needed)
    {
        int consumed = 0;
        do
        {
            var handshake = _handshake!;
            var step = handshake.Advance(bytes[consumed..], WriteBuffer.GetSpan(handshake.MaxOutputSize));
            consumed += step.Consumed;
            needed = step.Needed;
            ApplyState(handshake, step.Written);
            if (step.State != ZmtpHandshakeState.Admission)
            {
                break;
            }
        }
        while (_handshake is { State: ZmtpHandshakeState.Mechanism } && !IsOver);
        return consumed;
    }

    // The bytes were written to the write buffer but not added to it yet.
    private void ApplyState(ZmtpHandshake handshake, int written)
    {
        if (handshake.State == ZmtpHandshakeState.Active)
        {
            CompleteHandshake(handshake, written);
            return;
        }

        WriteBuffer.Advance(written);
        if (handshake.State == ZmtpHandshakeState.Failed)
        {
            Refuse(FailureOf(handshake), written != 0 ? ErrorLinger : TimeSpan.Zero);
        }
        else if (handshake.State == ZmtpHandshakeState.Admission)
        {
            Authenticate(handshake);
        }
    }

    // Nothing is read from the peer until the application has decided.
    private void Authenticate(ZmtpHandshake handshake)
    {
        var options = Socket.CommonOptions;
        var credentials = new ZeroMqCredentials(
            Address, Endpoint, options.Security.Mechanism, handshake.Credentials, handshake.Peer!);
        Task<ZeroMqAdmission?> answer = AuthenticateAsync(options.Authenticate!, credentials);
        if (answer.IsCompletedSuccessfully)
        {
            ApplyAdmission(handshake, answer.Result);
            return;
        }

        Connection.PauseReceiving();
        _ = WaitForAdmissionAsync(handshake, answer);
    }

    // Returns null if the application's callback failed.
    private static async Task<ZeroMqAdmission?> AuthenticateAsync(
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

    private async Task WaitForAdmissionAsync(ZmtpHandshake handshake, Task<ZeroMqAdmission?> answer)
    {
        ZeroMqAdmission? admission = await answer.ConfigureAwait(false);
        _ = Loop.TryPost(() =>
        {
            if (!IsOver)
            {
                // Resume first, because the admission may pause the peer again.
                Connection.ResumeReceiving();
                ApplyAdmission(handshake, admission);
            }
        });
    }

    private void ApplyAdmission(ZmtpHandshake handshake, ZeroMqAdmission? answer)
    {
        var buffer = WriteBuffer;
        var output = buffer.GetSpan(handshake.MaxOutputSize);
        if (answer is not { } admission)
        {
            buffer.Advance(handshake.Deny("500", output));
            Refuse($"{ZmtpErrors.Text(ZmtpError.NotAdmitted)}: the authentication failed", ErrorLinger);
            return;
        }

        if (!admission.IsAdmitted)
        {
            buffer.Advance(handshake.Deny("400", output));
            Refuse($"{ZmtpErrors.Text(ZmtpError.NotAdmitted)}: {ZmtpErrors.Printable(admission.Reason)}", ErrorLinger);
            return;
        }

        _userId = admission.UserId;
        ApplyState(handshake, handshake.Admit(output));
    }

    private void CompleteHandshake(ZmtpHandshake handshake, int written)
    {
        var zmtp = handshake.Peer!;
        int ready = handshake.ReadySize;
        WriteBuffer.Advance(written - ready);
        _handshakeTimer?.Cancel();
        _handshakeTimer = null;
        _cipher = handshake.TakeCipher(Socket.InboundLimits);
        EndHandshake();
        Peer = new ZeroMqPeer(this, Socket.NextPeerId(), zmtp, _userId);
        string? objection = Socket.CommonOptions.AcceptPeer?.Invoke(Peer);
        if ((objection ?? Socket.RefusalOf(this)) is { } reason)
        {
            // An ERROR command instead of READY tells the peer never to retry (RFC 23). So it is not sent if the only
            // problem is the limit of peers. After READY the peer could not read a plain ERROR command if the
            // connection is encrypted.
            if (zmtp.UnderstandsCommands && (ready > 0 ? objection is not null : _cipher is null))
            {
                var buffer = WriteBuffer;
                buffer.Advance(ZmtpCommandWriter.WriteError(buffer.GetSpan(ZmtpCommandWriter.MaxErrorSize), reason));
            }

            _cipher?.Dispose();
            Refuse(reason, ErrorLinger);
            return;
        }

        if (IsOver)
        {
            _cipher?.Dispose();
            return;
        }

        WriteBuffer.Advance(ready);
        if (_cipher is not null)
        {
            Connection.StartRecords(_cipher);
        }

        Heartbeat.Start(zmtp);
        _accepted = true;
        OnAccepted();
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

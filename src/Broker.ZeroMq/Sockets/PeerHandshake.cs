using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>
/// The handshake of one session: it exchanges greetings and mechanism commands, asks the application about the peer,
/// and limits the time. It ends with <see cref="PeerSession.Accept"/> or a refusal. Used on the session's loop.
/// </summary>
internal sealed class PeerHandshake
{
    private readonly PeerSession _session;
    private readonly ZmtpHandshake _zmtp;
    private LoopTimer? _timer;
    private string _userId = "";

    internal PeerHandshake(PeerSession session)
    {
        _session = session;
        LoopSocketOptions options = session.Socket.CommonOptions;
        // A peer within this process needs no security.
        bool isOurs = ZeroMqEndpoint.IsInprocText(session.Endpoint);
        ZeroMqSecurity security = isOurs ? ZeroMqSecurity.Null : options.Security;
        bool asks = !isOurs && options.Authenticate is not null && (session.Link is null || security.IsServer);
        ZmtpHandshakeOptions own = session.Link is null ? session.Socket.Handshake : session.Socket.OutgoingHandshake;
        _zmtp = new ZmtpHandshake(own, security.Create(asks, binds: session.Link is null));
    }

    /// <summary>Sends the first bytes and starts the time limit.</summary>
    internal void Start()
    {
        // One limit for the whole handshake: a peer gains nothing by sending its greeting slowly.
        // The timer refers to the session and not to this object, which is released before the timer.
        _timer = _session.Loop.StartTimer(_session.Socket.CommonOptions.HandshakeTimeout, _session.RefuseSlowHandshake);
        int needed = 0;
        Advance([], ref needed);
    }

    /// <summary>Handles received bytes. Returns how many of them it has consumed.</summary>
    /// <param name="bytes">The received bytes.</param>
    /// <param name="needed">How many bytes the next call needs.</param>
    internal int Advance(ReadOnlySpan<byte> bytes, ref int needed)
    {
        int consumed = 0;
        while (true)
        {
            if (_zmtp.IsNextStepCostly(bytes[consumed..]) && !_session.Connection.TryBeginCostlyStep())
            {
                // The same bytes come again when it is the turn of this connection.
                needed = 0;
                return consumed;
            }

            ZmtpHandshakeStep step = _zmtp.Advance(bytes[consumed..], _session.WriteBuffer.GetSpan(_zmtp.MaxOutputSize));
            consumed += step.Consumed;
            needed = step.Needed;
            ApplyState(step.Written);
            bool mayHaveMore = step.State == ZmtpHandshakeState.Admission || step.Consumed > 0;
            if (!mayHaveMore || _zmtp.State != ZmtpHandshakeState.Mechanism || _session.IsOver)
            {
                return consumed;
            }
        }
    }

    /// <summary>Cancels the time limit.</summary>
    internal void StopTimer()
    {
        _timer?.Cancel();
        _timer = null;
    }

    /// <summary>Ends the handshake and erases its secrets from memory.</summary>
    internal void End()
    {
        StopTimer();
        _zmtp.Wipe();
    }

    // The handshake has written these bytes to the memory of the write buffer, but the buffer does not contain them
    // yet.
    private void ApplyState(int written)
    {
        if (_zmtp.State == ZmtpHandshakeState.Active)
        {
            _session.WriteBuffer.Advance(written - _zmtp.ReadySize);
            _session.Accept(_zmtp, _userId);
            return;
        }

        _session.WriteBuffer.Advance(written);
        if (_zmtp.State == ZmtpHandshakeState.Failed)
        {
            _session.Refuse(FailureOf(_zmtp), written != 0 ? PeerSession.ErrorLinger : TimeSpan.Zero);
        }
        else if (_zmtp.State == ZmtpHandshakeState.Admission)
        {
            Authenticate();
        }
    }

    // Nothing is read from the peer until the application has decided.
    private void Authenticate()
    {
        LoopSocketOptions options = _session.Socket.CommonOptions;
        var credentials = new ZeroMqCredentials(
            _session.Address, _session.Endpoint, options.Security.Mechanism, _zmtp.Credentials, _zmtp.Peer!);
        Task<ZeroMqAdmission?> answer = AuthenticateAsync(options.Authenticate!, credentials);
        if (answer.IsCompletedSuccessfully)
        {
            ApplyAdmission(answer.Result);
            return;
        }

        _session.Connection.PauseReceiving();
        _ = WaitForAdmissionAsync(answer);
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

    private async Task WaitForAdmissionAsync(Task<ZeroMqAdmission?> answer)
    {
        ZeroMqAdmission? admission = await answer.ConfigureAwait(false);
        _ = _session.Loop.TryPost(() =>
        {
            if (!_session.IsOver)
            {
                // Resume first, because the admission may pause the peer again.
                _session.Connection.ResumeReceiving();
                ApplyAdmission(admission);
            }
        });
    }

    private void ApplyAdmission(ZeroMqAdmission? answer)
    {
        LoopWriteBuffer buffer = _session.WriteBuffer;
        Span<byte> output = buffer.GetSpan(_zmtp.MaxOutputSize);
        if (answer is not { } admission)
        {
            buffer.Advance(_zmtp.Deny("500", output));
            Deny("the authentication failed");
            return;
        }

        if (!admission.IsAdmitted)
        {
            buffer.Advance(_zmtp.Deny("400", output));
            Deny(ZmtpErrors.Printable(admission.Reason));
            return;
        }

        _userId = admission.UserId;
        ApplyState(_zmtp.Admit(output));
    }

    private void Deny(string reason)
        => _session.Refuse($"{ZmtpErrors.Text(ZmtpError.NotAdmitted)}: {reason}", PeerSession.ErrorLinger);

    private static string FailureOf(ZmtpHandshake handshake) => handshake.PeerReason is { Length: > 0 } reason
        ? $"{ZmtpErrors.Text(handshake.Error)}: {reason}"
        : ZmtpErrors.Text(handshake.Error);
}

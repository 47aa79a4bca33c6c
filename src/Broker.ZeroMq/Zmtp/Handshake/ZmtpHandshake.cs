using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Zmtp.Handshake;

/// <summary>
/// The handshake of one connection as a pure state machine: received octets in, octets to send out. The same for the side that binds
/// and the side that connects.
/// </summary>
/// <remarks>
/// <para>
/// Call <see cref="Advance"/> once with an empty input when the connection is up (it writes our greeting at once, whatever the peer
/// does: two peers that wait for each other's greeting would wait for ever), then whenever octets arrive. In state Active
/// <see cref="Peer"/> is complete and what was not consumed is traffic for <see cref="ZmtpDecoder"/>.
/// </para>
/// <para>
/// Where a peer of ZMTP/2.0 may come in, our greeting is sent in two parts: what follows the major version means something else to such
/// a peer, so it waits until the peer has told its own.
/// </para>
/// <para>
/// A refusal after the greetings agreed is told to the peer by an ERROR command, as RFC 37 asks for; before that, and in answer to the
/// peer's own ERROR, the connection is just closed. The layer has no clock: a limit on the handshake's duration is the caller's.
/// </para>
/// <para>One thread at a time.</para>
/// </remarks>
internal sealed partial class ZmtpHandshake
{
    private readonly ZmtpHandshakeOptions _options;
    private readonly IZmtpMechanism _mechanism;
    private ZmtpDecoder _decoder;
    private int _greeted;
    private bool _errorTold;

    /// <summary>A handshake by the NULL mechanism.</summary>
    public ZmtpHandshake(ZmtpHandshakeOptions options)
        : this(options, new NullMechanism())
    {
    }

    /// <summary>A handshake by another mechanism.</summary>
    public ZmtpHandshake(ZmtpHandshakeOptions options, IZmtpMechanism mechanism)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(mechanism);
        _options = options;
        _mechanism = mechanism;
        _decoder = new ZmtpDecoder(options.Limits);
        MaxOutputSize = ZmtpGreeting.Size + ZmtpVersion2.MaxSize + mechanism.MaxOutputSize(options.Metadata.Length) + ZmtpCommandWriter.MaxErrorSize;
    }

    /// <summary>Room that <see cref="Advance"/> must be given: the bound of all it writes in a handshake.</summary>
    public int MaxOutputSize { get; }

    /// <summary>The state now.</summary>
    public ZmtpHandshakeState State { get; private set; }

    /// <summary>Why the handshake failed.</summary>
    public ZmtpError Error { get; private set; }

    /// <summary>The reason in the peer's ERROR command: visible ASCII, at most 255 characters. Null when there was none.</summary>
    public string? PeerReason { get; private set; }

    /// <summary>The peer, from its greeting on; its metadata are there in state Active.</summary>
    public ZmtpPeer? Peer { get; private set; }

    /// <summary>
    /// How much of what the call that led to state Active has written is our READY, at the end of it; 0 where that went before. Held back,
    /// it tells a peer that is refused after all nothing of a connection.
    /// </summary>
    public int ReadySize { get; private set; }

    /// <summary>What the peer has shown; in state Admission.</summary>
    public ZmtpCredentials Credentials => _mechanism.Credentials;

    /// <summary>Takes received octets and writes what is to be sent.</summary>
    /// <param name="input">What was received and not consumed yet, beginning with what the previous call left.</param>
    /// <param name="output">At least <see cref="MaxOutputSize"/> octets.</param>
    /// <exception cref="ArgumentException"><paramref name="output"/> is too short.</exception>
    public ZmtpHandshakeStep Advance(ReadOnlySpan<byte> input, Span<byte> output)
    {
        if (output.Length < MaxOutputSize)
        {
            throw new ArgumentException("The output must have MaxOutputSize octets.", nameof(output));
        }

        int written = 0;
        int consumed = 0;
        int needed = ZmtpGreeting.Size;
        if (State == ZmtpHandshakeState.Greeting)
        {
            written = Greet(input, output, ref needed);
            if (State == ZmtpHandshakeState.Greeting && ReadGreeting(input))
            {
                consumed = ZmtpGreeting.Size;
                State = ZmtpHandshakeState.Mechanism;
                written += Apply(_mechanism.Start(Peer!, _options.Metadata, output[written..]));
            }
        }

        if (State == ZmtpHandshakeState.Version2)
        {
            consumed = ReadVersion2(input, ref needed);
        }

        while (State == ZmtpHandshakeState.Mechanism)
        {
            var rest = input[consumed..];

            // A message frame is refused at its first octet rather than awaited.
            if (!rest.IsEmpty && (rest[0] & (byte)ZmtpFlags.Command) == 0)
            {
                Fail(ZmtpError.MessageDuringHandshake);
                break;
            }

            var sink = new CommandSink(this, output[written..]);
            var result = _decoder.Decode(rest, ref sink);
            consumed += result.Consumed;
            written += sink.Written;
            needed = result.Needed;
            if (result.Error != ZmtpError.None)
            {
                Fail(result.Error);
            }

            if (!result.Paused)
            {
                break;
            }
        }

        written += TellError(output[written..]);
        bool waits = State is ZmtpHandshakeState.Greeting or ZmtpHandshakeState.Version2 or ZmtpHandshakeState.Mechanism;
        return new ZmtpHandshakeStep(consumed, waits ? needed : 0, written, State);
    }

    /// <summary>The application admits the peer. In state Admission; call <see cref="Advance"/> for what was received meanwhile.</summary>
    /// <param name="output">At least <see cref="MaxOutputSize"/> octets.</param>
    /// <returns>Octets written.</returns>
    public int Admit(Span<byte> output)
    {
        State = ZmtpHandshakeState.Mechanism;
        int written = Apply(_mechanism.Admit(_options.Metadata, output));
        return written + TellError(output[written..]);
    }

    /// <summary>The application refuses the peer. In state Admission.</summary>
    /// <param name="status">What the peer is told: "400" that it was not admitted, "500" that nobody can say now (RFC 27).</param>
    /// <param name="output">At least <see cref="MaxOutputSize"/> octets.</param>
    /// <returns>Octets written.</returns>
    public int Deny(string status, Span<byte> output)
    {
        Fail(ZmtpError.NotAdmitted);
        _errorTold = true;
        return ZmtpCommandWriter.WriteError(output, status);
    }

    /// <inheritdoc cref="IZmtpMechanism.TakeCipher"/>
    public ZmtpCipher? TakeCipher(ZmtpLimits limits) => _mechanism.TakeCipher(limits);

    /// <inheritdoc cref="IZmtpMechanism.Wipe"/>
    public void Wipe() => _mechanism.Wipe();

    // Told once, only where the mechanism has begun, and never in answer to the peer's own ERROR.
    private int TellError(Span<byte> output)
    {
        if (State != ZmtpHandshakeState.Failed || Peer is not { UnderstandsCommands: true } || _errorTold || Error == ZmtpError.PeerRefused)
        {
            return 0;
        }

        _errorTold = true;
        return ZmtpCommandWriter.WriteError(output, ZmtpErrors.Text(Error));
    }
}

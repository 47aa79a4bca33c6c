namespace Broker.ZeroMq;

/// <summary>
/// The handshake of one connection as a pure state machine: it takes received octets and returns the octets to send. It
/// is the same for the side that binds and the side that connects.
/// </summary>
/// <remarks>
/// <para>
/// When the connection is established, call <see cref="Advance"/> once with an empty input. It then writes the greeting
/// at once, because two peers that wait for each other's greeting would wait forever. After that, call it whenever
/// octets arrive. In state Active, <see cref="Peer"/> is complete, and the octets that were not consumed are input for
/// <see cref="ZmtpDecoder"/>.
/// </para>
/// <para>
/// If ZMTP/2.0 peers are allowed, the greeting is sent in two parts. The octets after the major version have another
/// meaning for such a peer, so they are not sent until the peer has sent its own version.
/// </para>
/// <para>
/// After a successful exchange of greetings, a refusal is sent to the peer as an ERROR command, as RFC 37 requires.
/// Before that, and in answer to the peer's own ERROR, the connection is only closed. This class has no clock: the
/// caller must limit the duration of the handshake.
/// </para>
/// <para>The class is for one thread at a time.</para>
/// </remarks>
internal sealed partial class ZmtpHandshake
{
    private readonly ZmtpHandshakeOptions _options;
    private readonly IZmtpMechanism _mechanism;
    private ZmtpDecoder _decoder;
    private int _greeted;
    private bool _errorWritten;

    /// <summary>Creates a handshake with the NULL mechanism.</summary>
    public ZmtpHandshake(ZmtpHandshakeOptions options)
        : this(options, new NullMechanism())
    {
    }

    /// <summary>Creates a handshake with another mechanism.</summary>
    public ZmtpHandshake(ZmtpHandshakeOptions options, IZmtpMechanism mechanism)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(mechanism);
        _options = options;
        _mechanism = mechanism;
        _decoder = new ZmtpDecoder(options.Limits);
        MaxOutputSize = ZmtpGreeting.Size + ZmtpVersion2.MaxSize + mechanism.MaxOutputSize(options.Metadata.Length) + ZmtpCommandWriter.MaxErrorSize;
    }

    /// <summary>
    /// The size of the output that <see cref="Advance"/> needs. A whole handshake never writes more octets.
    /// </summary>
    public int MaxOutputSize { get; }

    /// <summary>The current state.</summary>
    public ZmtpHandshakeState State { get; private set; }

    /// <summary>Why the handshake failed.</summary>
    public ZmtpError Error { get; private set; }

    /// <summary>
    /// The reason in the peer's ERROR command: visible ASCII, at most 255 characters. It is null if the peer sent no
    /// ERROR.
    /// </summary>
    public string? PeerReason { get; private set; }

    /// <summary>The peer, available after its greeting. Its metadata are available in state Active.</summary>
    public ZmtpPeer? Peer { get; private set; }

    /// <summary>
    /// The size of this side's READY. READY is at the end of the octets that were written by the call that led to state
    /// Active; the size is 0 if READY was written earlier. The caller can withhold READY and still refuse the peer,
    /// which then does not consider itself connected.
    /// </summary>
    public int ReadySize { get; private set; }

    /// <summary>The credentials that the peer has sent. Use this property in state Admission.</summary>
    public ZmtpCredentials Credentials => _mechanism.Credentials;

    /// <summary>
    /// Whether the next call of <see cref="Advance"/> handles a greeting or a command that causes public-key
    /// cryptography.
    /// </summary>
    /// <param name="input">The octets that were received and not consumed.</param>
    public bool IsNextStepCostly(ReadOnlySpan<byte> input) => _mechanism.IsCostly && State switch
    {
        // A server computes nothing before the first command.
        ZmtpHandshakeState.Greeting => !_mechanism.AsServer && input.Length >= ZmtpGreeting.Size,
        ZmtpHandshakeState.Mechanism => HasFrame(input),
        _ => false,
    };

    /// <summary>
    /// Takes received octets and writes the octets to send. If the mechanism is costly, one call handles at most one
    /// greeting or command: call this method again with the remaining octets as long as it consumes octets.
    /// </summary>
    /// <param name="input">
    /// The received octets that were not consumed yet. They begin with the rest that the previous call left.
    /// </param>
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

        while (State == ZmtpHandshakeState.Mechanism && !(_mechanism.IsCostly && consumed > 0))
        {
            ReadOnlySpan<byte> rest = input[consumed..];

            // A message frame is refused at its first octet. The rest of the frame is not read.
            if (!rest.IsEmpty && (rest[0] & (byte)ZmtpFlags.Command) == 0)
            {
                Fail(ZmtpError.MessageDuringHandshake);
                break;
            }

            var sink = new CommandSink(this, output[written..]);
            ZmtpDecodeResult result = _decoder.Decode(rest, ref sink);
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

        written += WriteErrorOnce(output[written..]);
        bool waits = State is ZmtpHandshakeState.Greeting or ZmtpHandshakeState.Version2 or ZmtpHandshakeState.Mechanism;
        return new ZmtpHandshakeStep(consumed, waits ? needed : 0, written, State);
    }

    /// <summary>
    /// Tells the handshake that the application admits the peer. Use it in state Admission; then call <see
    /// cref="Advance"/> for the octets that were received meanwhile.
    /// </summary>
    /// <param name="output">At least <see cref="MaxOutputSize"/> octets.</param>
    /// <returns>The number of octets written.</returns>
    public int Admit(Span<byte> output)
    {
        State = ZmtpHandshakeState.Mechanism;
        int written = Apply(_mechanism.Admit(_options.Metadata, output));
        return written + WriteErrorOnce(output[written..]);
    }

    /// <summary>Tells the handshake that the application refuses the peer. Use it in state Admission.</summary>
    /// <param name="status">
    /// The status for the peer: "400" if it was not admitted, "500" if no decision is possible now (RFC 27).
    /// </param>
    /// <param name="output">At least <see cref="MaxOutputSize"/> octets.</param>
    /// <returns>The number of octets written.</returns>
    public int Deny(string status, Span<byte> output)
    {
        Fail(ZmtpError.NotAdmitted);
        _errorWritten = true;
        return ZmtpCommandWriter.WriteError(output, status);
    }

    /// <inheritdoc cref="IZmtpMechanism.TakeCipher"/>
    public ZmtpCipher? TakeCipher(ZmtpLimits limits) => _mechanism.TakeCipher(limits);

    /// <inheritdoc cref="IZmtpMechanism.Wipe"/>
    public void Wipe() => _mechanism.Wipe();

    // ERROR is sent once, only after the mechanism has begun, and never in answer to the peer's own ERROR.
    private int WriteErrorOnce(Span<byte> output)
    {
        if (State != ZmtpHandshakeState.Failed || Peer is not { UnderstandsCommands: true } || _errorWritten || Error == ZmtpError.PeerRefused)
        {
            return 0;
        }

        _errorWritten = true;
        return ZmtpCommandWriter.WriteError(output, ZmtpErrors.Text(Error));
    }
}

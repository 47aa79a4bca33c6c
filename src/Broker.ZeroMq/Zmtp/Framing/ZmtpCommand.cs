using System.Buffers;

namespace Broker.ZeroMq;

/// <summary>
/// A command: name length, name and data (RFC 37). The object refers to the memory of the frame's body.
/// </summary>
internal readonly ref struct ZmtpCommand
{
    private static readonly SearchValues<byte> Letters =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"u8);

    private ZmtpCommand(ZmtpCommandKind kind, ReadOnlySpan<byte> name, ReadOnlySpan<byte> data)
    {
        Kind = kind;
        Name = name;
        Data = data;
    }

    /// <summary>The kind of the command. The name must match exactly.</summary>
    public ZmtpCommandKind Kind { get; }

    /// <summary>The name, 1 to 255 letters.</summary>
    public ReadOnlySpan<byte> Name { get; }

    /// <summary>The octets after the name.</summary>
    public ReadOnlySpan<byte> Data { get; }

    /// <summary>
    /// Parses the body of a command frame. Returns false if the name is empty, is longer than the body, or does not
    /// consist of letters.
    /// </summary>
    public static bool TryParse(ReadOnlySpan<byte> body, out ZmtpCommand command)
    {
        command = default;
        if (body.IsEmpty || body[0] == 0 || body[0] >= body.Length)
        {
            return TryParseMangledError(body, out command);
        }

        int end = 1 + body[0];
        ReadOnlySpan<byte> name = body[1..end];
        ZmtpCommandKind kind = KindOf(name);
        if (kind == ZmtpCommandKind.Unknown && name.ContainsAnyExcept(Letters))
        {
            return false;
        }

        command = new ZmtpCommand(kind, name, body[end..]);
        return true;
    }

    /// <summary>Reads the time-to-live and the context of a PING.</summary>
    /// <param name="ttlDeciseconds">
    /// After how many tenths of a second of silence the sender must be considered lost; 0 if the sender gives no limit.
    /// </param>
    /// <param name="context">The 0 to 16 octets that the PONG must repeat. They refer to <see cref="Data"/>.</param>
    public ZmtpError ReadPing(out ushort ttlDeciseconds, out ReadOnlySpan<byte> context)
    {
        const int TtlSize = sizeof(ushort);
        ttlDeciseconds = 0;
        context = default;
        if (Data.Length is < TtlSize or > TtlSize + ZmtpCommandWriter.MaxPingContext)
        {
            return ZmtpError.PingMalformed;
        }

        ttlDeciseconds = (ushort)((Data[0] << 8) | Data[1]);
        context = Data[TtlSize..];
        return ZmtpError.None;
    }

    /// <summary>
    /// Reads the reason of an ERROR. If the reason is cut short, returns the part that is present, because the command
    /// is a refusal in any case.
    /// </summary>
    public ReadOnlySpan<byte> ReadErrorReason() => Data.IsEmpty ? default : Data.Slice(1, Math.Min(Data[0], Data.Length - 1));

    // In the ERROR command of PLAIN, libzmq 4.3.4 writes one octet, 5E, in place of the length 5 and the letter E. Read
    // as a length, 5E would be 94.
    private static bool TryParseMangledError(ReadOnlySpan<byte> body, out ZmtpCommand command)
    {
        ReadOnlySpan<byte> mangled = "^RROR"u8;
        bool isError = body.StartsWith(mangled);
        command = isError ? new ZmtpCommand(ZmtpCommandKind.Error, "ERROR"u8, body[mangled.Length..]) : default;
        return isError;
    }

    private static ZmtpCommandKind KindOf(ReadOnlySpan<byte> name) => name.Length switch
    {
        4 when name.SequenceEqual("PING"u8) => ZmtpCommandKind.Ping,
        4 when name.SequenceEqual("PONG"u8) => ZmtpCommandKind.Pong,
        4 when name.SequenceEqual("JOIN"u8) => ZmtpCommandKind.Join,
        5 when name.SequenceEqual("LEAVE"u8) => ZmtpCommandKind.Leave,
        5 when name.SequenceEqual("READY"u8) => ZmtpCommandKind.Ready,
        5 when name.SequenceEqual("ERROR"u8) => ZmtpCommandKind.Error,
        5 when name.SequenceEqual("HELLO"u8) => ZmtpCommandKind.Hello,
        6 when name.SequenceEqual("CANCEL"u8) => ZmtpCommandKind.Cancel,
        7 when name.SequenceEqual("WELCOME"u8) => ZmtpCommandKind.Welcome,
        7 when name.SequenceEqual("MESSAGE"u8) => ZmtpCommandKind.Message,
        8 when name.SequenceEqual("INITIATE"u8) => ZmtpCommandKind.Initiate,
        9 when name.SequenceEqual("SUBSCRIBE"u8) => ZmtpCommandKind.Subscribe,
        _ => ZmtpCommandKind.Unknown,
    };
}

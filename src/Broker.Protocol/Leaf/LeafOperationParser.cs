using System.Buffers.Binary;

namespace Broker.Protocol;

/// <summary>
/// Parses the operations of a leaf node connection, in place in the receive buffer: LMSG, HMSG, LS+, LS-, INFO, PING,
/// PONG, +OK and -ERR. The parser keeps no state between calls.
/// </summary>
public readonly struct LeafOperationParser
{
    private const int Incomplete = OperationParsing.Incomplete;
    private const int VerbLength = 4;
    private const uint LeafMsg = 'l' | ('m' << 8) | ('s' << 16) | ((uint)'g' << 24);
    private const uint LeafVerb = 'l' | ('s' << 8);
    private const uint TwoLetters = 0x0000FFFF;

    private readonly ParserLimits _limits;

    /// <summary>
    /// Creates a parser with limits. The limit of control lines also applies to INFO, which may be long.
    /// </summary>
    public LeafOperationParser(ParserLimits limits) => _limits = limits;

    private static ReadOnlySpan<byte> Verbs => "LMSGHMSGLS+ LS- INFOPINGPONG+OK -ERR"u8;

    /// <summary>Parses the operations at the start of the bytes and calls the handler for each of them.</summary>
    /// <param name="bytes">The received bytes.</param>
    /// <param name="handler">The handler.</param>
    /// <param name="needed">
    /// Set to the number of bytes, counted from the first unconsumed byte, that an incomplete message has. Not changed
    /// if this number is unknown.
    /// </param>
    /// <param name="error">The reason why the parser stopped before the end of the bytes, if they are wrong.</param>
    /// <returns>The number of consumed bytes.</returns>
    public int Parse<THandler>(ReadOnlySpan<byte> bytes, ref THandler handler, ref int needed, out ProtocolError error)
        where THandler : struct, ILeafOperationHandler, allows ref struct
    {
        error = ProtocolError.None;
        int at = 0;
        bool continues = true;
        while (continues && at < bytes.Length)
        {
            int length = ParseOne(bytes[at..], ref handler, ref needed, ref continues, ref error);
            if (length <= 0)
            {
                break;
            }

            at += length;
        }

        return at;
    }

    private int ParseOne<THandler>(
        ReadOnlySpan<byte> bytes, ref THandler handler, ref int needed, ref bool continues, ref ProtocolError error)
        where THandler : struct, ILeafOperationHandler, allows ref struct
    {
        if (bytes.Length < VerbLength)
        {
            return ControlLine.MayBegin(bytes, Verbs)
                ? Incomplete
                : OperationParsing.Fail(ProtocolError.UnknownOperation, ref error);
        }

        uint verb = BinaryPrimitives.ReadUInt32LittleEndian(bytes) | Verb.LowerCase;
        int verbLength = LengthOfVerb(verb, bytes);
        if (verbLength == 0)
        {
            return OperationParsing.Fail(ProtocolError.UnknownOperation, ref error);
        }

        int length = OperationParsing.MeasureRest(bytes[verbLength..], _limits.Line, ref error);
        if (length <= 0)
        {
            return length;
        }

        int line = verbLength + length;
        ReadOnlySpan<byte> rest = bytes[verbLength..(line - 1)].TrimEnd((byte)'\r');
        if (verb is LeafMsg or Verb.Hmsg)
        {
            return ParseMessage(bytes, line, rest, verb is Verb.Hmsg, ref handler, ref needed, ref continues, ref error);
        }

        if ((verb & TwoLetters) == LeafVerb)
        {
            return ParseInterest(rest, isAdded: bytes[2] == (byte)'+', ref handler, ref continues)
                ? line
                : OperationParsing.Fail(ProtocolError.Malformed, ref error);
        }

        continues = verb switch
        {
            Verb.Ping => handler.OnPing(),
            Verb.Pong => handler.OnPong(),
            Verb.Info => handler.OnInfo(rest.Trim(" \t"u8)),
            Verb.Err => handler.OnError(rest.Trim(" \t'"u8)),
            _ => true,
        };
        return line;
    }

    // A verb with arguments must end with a separator, so that LMSGX is not LMSG.
    private static int LengthOfVerb(uint verb, ReadOnlySpan<byte> bytes)
    {
        if (verb is LeafMsg or Verb.Hmsg)
        {
            return bytes.Length == VerbLength || OperationParsing.IsSeparator(bytes[VerbLength]) ? VerbLength : 0;
        }

        return (verb & TwoLetters) == LeafVerb
            ? bytes[2] is (byte)'+' or (byte)'-' && OperationParsing.IsSeparator(bytes[3]) ? VerbLength : 0
            : OperationParsing.LengthOfServerVerb(verb, bytes[0]);
    }

    private static bool ParseInterest<THandler>(
        ReadOnlySpan<byte> rest, bool isAdded, ref THandler handler, ref bool continues)
        where THandler : struct, ILeafOperationHandler, allows ref struct
    {
        ReadOnlySpan<byte> filter = Take(ref rest);
        ReadOnlySpan<byte> queue = Take(ref rest);
        ReadOnlySpan<byte> number = Take(ref rest);
        if (filter.IsEmpty || !rest.IsEmpty)
        {
            return false;
        }

        if (!isAdded)
        {
            continues = number.IsEmpty && handler.OnUnsubscribe(filter, queue);
            return number.IsEmpty;
        }

        int weight = 1;
        if (!queue.IsEmpty)
        {
            weight = ReadSize(number);
            if (weight <= 0)
            {
                return false;
            }
        }

        continues = handler.OnSubscribe(filter, queue, weight);
        return true;
    }

    private int ParseMessage<THandler>(
        ReadOnlySpan<byte> bytes, int line, ReadOnlySpan<byte> rest, bool hasHeaders,
        ref THandler handler, ref int needed, ref bool continues, ref ProtocolError error)
        where THandler : struct, ILeafOperationHandler, allows ref struct
    {
        ReadOnlySpan<byte> subject = Take(ref rest);
        int size = ReadSize(TakeLast(ref rest));
        int headers = hasHeaders ? ReadSize(TakeLast(ref rest)) : 0;
        if (subject.IsEmpty || size < 0 || headers < 0 || !TryReadReceivers(rest, out ReadOnlySpan<byte> reply, out ReadOnlySpan<byte> groups))
        {
            return OperationParsing.Fail(ProtocolError.Malformed, ref error);
        }

        if (size > _limits.Payload || headers > size)
        {
            return OperationParsing.Fail(size > _limits.Payload ? ProtocolError.PayloadTooLarge : ProtocolError.Malformed, ref error);
        }

        int length = line + size + OperationParsing.EndLength;
        if (length > bytes.Length)
        {
            needed = length;
            return Incomplete;
        }

        if (!bytes[(line + size)..length].SequenceEqual("\r\n"u8))
        {
            return OperationParsing.Fail(ProtocolError.Malformed, ref error);
        }

        var message = new LeafMessage(subject, reply, groups, headers, bytes.Slice(line, size));
        continues = handler.OnMessage(in message);
        return length;
    }

    // Reads what is between the subject and the sizes: nothing, a reply subject, "+ reply group …" or "| group …".
    private static bool TryReadReceivers(ReadOnlySpan<byte> rest, out ReadOnlySpan<byte> reply, out ReadOnlySpan<byte> groups)
    {
        groups = default;
        reply = Take(ref rest);
        if (reply is [(byte)'|'])
        {
            reply = default;
            groups = rest;
            return true;
        }

        if (reply is [(byte)'+'])
        {
            reply = Take(ref rest);
            groups = rest;
            return !reply.IsEmpty;
        }

        return rest.IsEmpty;
    }

    // Takes the first word. Returns an empty span if there is none. The rest begins and ends with a word.
    private static ReadOnlySpan<byte> Take(scoped ref ReadOnlySpan<byte> rest)
    {
        rest = rest.Trim(" \t"u8);
        int end = rest.IndexOfAny((byte)' ', (byte)'\t');
        ReadOnlySpan<byte> word = end < 0 ? rest : rest[..end];
        rest = end < 0 ? default : rest[end..].TrimStart(" \t"u8);
        return word;
    }

    private static ReadOnlySpan<byte> TakeLast(scoped ref ReadOnlySpan<byte> rest)
    {
        int start = rest.LastIndexOfAny((byte)' ', (byte)'\t') + 1;
        ReadOnlySpan<byte> word = rest[start..];
        rest = rest[..start].TrimEnd(" \t"u8);
        return word;
    }

    private static int ReadSize(ReadOnlySpan<byte> word)
        => word.IsEmpty ? SizeArgument.Invalid : SizeArgument.Parse(ref System.Runtime.InteropServices.MemoryMarshal.GetReference(word), word.Length);
}

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Broker.Protocol;

/// <summary>
/// The code that the parsers of clients and servers share: the loop over operations, verbs, lines and payloads.
/// </summary>
internal static class OperationParsing
{
    internal const int Incomplete = 0;
    internal const int Failed = -1;

    /// <summary>The length of the CR LF after a payload.</summary>
    internal const int EndLength = 2;

    private const ushort CrLf = '\r' | ('\n' << 8);

    /// <inheritdoc cref="ClientOperationParser.Parse"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int Parse<TSide, TParser, THandler>(
        ref TParser parser, ReadOnlySpan<byte> bytes, ref THandler handler, ref int needed, out ProtocolError error)
        where TSide : struct, IOperationSide<TParser, THandler>
        where TParser : struct
        where THandler : struct, allows ref struct
    {
        error = ProtocolError.None;
        ref byte first = ref MemoryMarshal.GetReference(bytes);
        int at = 0;
        // This variable is passed by reference only to the inlined ReadRepeated, so it stays in a register, unlike
        // continues.
        bool repeatContinues = true;
        bool continues = true;
        do
        {
            int remaining = bytes.Length - at;
            ref byte start = ref Unsafe.Add(ref first, at);
            int length;
            if (TSide.Repeats(ref parser, ref start, remaining) && TSide.CanRepeat(ref parser, ref start, remaining))
            {
                length = TSide.ReadRepeated(ref parser, ref start, remaining, ref handler, ref needed, ref repeatContinues, ref error);
                if (length <= 0)
                {
                    break;
                }

                at += length;
                continue;
            }

            if (remaining < sizeof(uint))
            {
                length = remaining == 0 ? Incomplete : CheckFirstBytes(MemoryMarshal.CreateReadOnlySpan(ref start, remaining), TSide.Verbs, ref error);
            }
            else
            {
                uint verb = Unsafe.ReadUnaligned<uint>(ref start);
                length = (verb | (Verb.LowerCase & Verb.ThreeLetters)) == (TSide.Message | ((uint)' ' << 24))
                    ? TSide.ReadMessage(ref parser, ref start, remaining, ref handler, ref needed, ref continues, ref error)
                    : TSide.ReadOther(ref parser, ref start, verb | Verb.LowerCase, remaining, ref handler, ref needed, ref continues, ref error);
            }

            if (length <= 0)
            {
                break;
            }

            at += length;
            repeatContinues = continues;
        }
        while (repeatContinues);

        return at;
    }

    internal static bool IsSeparator(byte value) => value is (byte)' ' or (byte)'\t';

    /// <summary>Whether a complete operation of this length ends with CR LF.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool EndsWithCrLf(ref byte start, int length)
        => Unsafe.ReadUnaligned<ushort>(ref Unsafe.Add(ref start, length - EndLength)) == CrLf;

    /// <summary>
    /// Measures the rest of a line after the verb, up to and including the LF. The caller removes the line end.
    /// </summary>
    /// <returns>The length of the rest with its LF, <see cref="Incomplete"/> or <see cref="Failed"/>.</returns>
    internal static int MeasureRest(ReadOnlySpan<byte> rest, int maxLength, ref ProtocolError error)
    {
        int length = ControlLine.Length(rest, maxLength);
        return length == ControlLine.TooLong ? ToResult(ScanStatus.TooLong, ref error) : length;
    }

    /// <summary>Returns the length of a verb of PING, PONG, INFO, +OK or -ERR; 0 for any other verb.</summary>
    /// <remarks>
    /// The conversion to lower case also changes some other characters to '+' or '-'. So this method compares the sign
    /// as it was sent.
    /// </remarks>
    internal static int LengthOfServerVerb(uint verb, byte sign) => verb switch
    {
        Verb.Ping or Verb.Pong or Verb.Info => 4,
        Verb.Err when sign == (byte)'-' => 4,
        _ when (verb & Verb.ThreeLetters) == Verb.Ok && sign == (byte)'+' => 3,
        _ => 0,
    };

    internal static int Fail(ProtocolError what, ref ProtocolError error)
    {
        error = what;
        return Failed;
    }

    internal static int ToResult(ScanStatus status, ref ProtocolError error) => status switch
    {
        ScanStatus.Incomplete => Incomplete,
        ScanStatus.TooLong => Fail(ProtocolError.ControlLineTooLong, ref error),
        // Clients read a CR in MSG as a separator. A subject with a CR would end the connections of its subscribers.
        _ => Fail(ProtocolError.Malformed, ref error),
    };

    // Handles input that has fewer bytes than the shortest verb.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int CheckFirstBytes(ReadOnlySpan<byte> bytes, ReadOnlySpan<byte> verbs, ref ProtocolError error)
        => ControlLine.MayBegin(bytes, verbs) ? Incomplete : Fail(ProtocolError.UnknownOperation, ref error);
}

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Broker.Protocol;

// Every operation except the usual MSG.
public partial struct ServerOperationParser
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private int ParseOther<THandler>(
        ref byte start, uint verb, int remaining, ref THandler handler, ref int needed, ref bool continues, ref ProtocolError error)
        where THandler : struct, IServerOperationHandler, allows ref struct
    {
        if (verb == Verb.Hmsg)
        {
            if (remaining > 4 && OperationParsing.IsSeparator(Unsafe.Add(ref start, 4)))
            {
                return ParseMessage(ref start, 5, remaining, true, ref handler, ref needed, ref continues, ref error);
            }

            return remaining > 4 ? FailUnknown(ref error) : OperationParsing.Incomplete;
        }

        if ((verb & Verb.ThreeLetters) == Verb.Msg && OperationParsing.IsSeparator(Unsafe.Add(ref start, 3)))
        {
            return ParseMessage(ref start, 4, remaining, false, ref handler, ref needed, ref continues, ref error);
        }

        int verbLength = OperationParsing.LengthOfServerVerb(verb, start);
        if (verbLength == 0)
        {
            return FailUnknown(ref error);
        }

        ReadOnlySpan<byte> rest = MemoryMarshal.CreateReadOnlySpan(ref start, remaining)[verbLength..];
        int length = OperationParsing.MeasureRest(rest, _maxControlLine, ref error);
        if (length <= 0)
        {
            return length;
        }

        rest = rest[..(length - 1)].TrimEnd((byte)'\r');
        continues = verb switch
        {
            Verb.Ping => handler.OnPing(),
            Verb.Pong => handler.OnPong(),
            Verb.Info => handler.OnInfo(rest.Trim(" \t"u8)),
            Verb.Err => handler.OnError(rest.Trim(" \t'"u8)),
            _ => handler.OnOk(),
        };
        return verbLength + length;
    }

    private static int FailUnknown(ref ProtocolError error) => OperationParsing.Fail(ProtocolError.UnknownOperation, ref error);
}

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Broker.Protocol.Parsing;

// Every operation except MSG.
public partial struct ServerOperationParser
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private int Other<THandler>(
        ref byte start, uint verb, int remaining, ref THandler handler, ref int needed, ref bool goOn, ref ProtocolError error)
        where THandler : struct, IServerOperationHandler, allows ref struct
    {
        if (verb == Verb.Hmsg)
        {
            if (remaining > 4 && OperationFrame.IsSeparator(Unsafe.Add(ref start, 4)))
            {
                return Message(ref start, 5, remaining, true, ref handler, ref needed, ref goOn, ref error);
            }

            return remaining > 4 ? Unknown(ref error) : OperationFrame.Incomplete;
        }

        if ((verb & Verb.ThreeLetters) == Verb.Msg && OperationFrame.IsSeparator(Unsafe.Add(ref start, 3)))
        {
            return Message(ref start, 4, remaining, false, ref handler, ref needed, ref goOn, ref error);
        }

        int verbLength = OperationFrame.LengthOfServerVerb(verb, start);
        if (verbLength == 0)
        {
            return Unknown(ref error);
        }

        ReadOnlySpan<byte> rest = MemoryMarshal.CreateReadOnlySpan(ref start, remaining)[verbLength..];
        int length = OperationFrame.ReadRest(rest, _maxControlLine, ref error);
        if (length <= 0)
        {
            return length;
        }

        rest = rest[..(length - 1)].TrimEnd((byte)'\r');
        goOn = verb switch
        {
            Verb.Ping => handler.OnPing(),
            Verb.Pong => handler.OnPong(),
            Verb.Info => handler.OnInfo(rest.Trim(" \t"u8)),
            Verb.Err => handler.OnError(rest.Trim(" \t'"u8)),
            _ => handler.OnOk(),
        };
        return verbLength + length;
    }

    private static int Unknown(ref ProtocolError error) => OperationFrame.Fail(ProtocolError.UnknownOperation, ref error);
}

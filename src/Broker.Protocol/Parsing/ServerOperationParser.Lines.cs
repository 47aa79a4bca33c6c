using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Broker.Protocol.Parsing;

// Everything but MSG.
public partial struct ServerOperationParser
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private int Other<THandler>(
        ref byte start, uint verb, int remaining, ref THandler handler, ref int needed, ref bool goOn, ref ProtocolError error)
        where THandler : struct, IServerOperationHandler, allows ref struct
    {
        if (verb == Hmsg)
        {
            if (remaining > 4 && IsSeparator(Unsafe.Add(ref start, 4)))
            {
                return Message(ref start, 5, remaining, true, ref handler, ref needed, ref goOn, ref error);
            }

            return remaining > 4 ? Unknown(ref error) : Incomplete;
        }

        if ((verb & ThreeLetters) == (Msg & ThreeLetters) && IsSeparator(Unsafe.Add(ref start, 3)))
        {
            return Message(ref start, 4, remaining, false, ref handler, ref needed, ref goOn, ref error);
        }

        int verbLength = VerbLength(verb, start);
        if (verbLength == 0)
        {
            return Unknown(ref error);
        }

        ReadOnlySpan<byte> rest = MemoryMarshal.CreateReadOnlySpan(ref start, remaining)[verbLength..];
        int length = ControlLine.Length(rest, _maxControlLine);
        if (length <= 0)
        {
            error = length == ControlLine.TooLong ? ProtocolError.ControlLineTooLong : ProtocolError.None;
            return length == ControlLine.TooLong ? Failed : Incomplete;
        }

        rest = rest[..(length - 1)].TrimEnd((byte)'\r');
        goOn = verb switch
        {
            Ping => handler.OnPing(),
            Pong => handler.OnPong(),
            Info => handler.OnInfo(rest.Trim(" \t"u8)),
            Err => handler.OnError(rest.Trim(" \t'"u8)),
            _ => handler.OnOk(),
        };
        return verbLength + length;
    }

    // 0 for what is no verb. Lower case is not told from upper by folding the signs, so they are compared as they came.
    private static int VerbLength(uint verb, byte sign) => verb switch
    {
        Ping or Pong or Info => 4,
        Err when sign == (byte)'-' => 4,
        _ when (verb & ThreeLetters) == Ok && sign == (byte)'+' => 3,
        _ => 0,
    };

    // Fewer bytes than the shortest verb takes.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Few(ref byte start, int remaining, ref ProtocolError error)
        => ControlLine.MayBegin(MemoryMarshal.CreateReadOnlySpan(ref start, remaining), "MSG HMSGINFOPINGPONG+OK -ERR"u8)
            ? Incomplete
            : Unknown(ref error);

    private static bool IsSeparator(byte value) => value is (byte)' ' or (byte)'\t';

    private static int Unknown(ref ProtocolError error)
    {
        error = ProtocolError.UnknownOperation;
        return Failed;
    }
}

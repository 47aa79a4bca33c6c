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

        ReadOnlySpan<byte> line = MemoryMarshal.CreateReadOnlySpan(ref start, remaining);
        int end = line[..Math.Min(line.Length, _maxControlLine + 2)].IndexOf((byte)'\n');
        if (end < 0)
        {
            if (!IsVerb(verb))
            {
                return Unknown(ref error);
            }

            error = line.Length >= _maxControlLine + 2 ? ProtocolError.ControlLineTooLong : ProtocolError.None;
            return error == ProtocolError.None ? Incomplete : Failed;
        }

        ReadOnlySpan<byte> rest = line[..end].TrimEnd((byte)'\r');
        switch (verb)
        {
            case Ping:
                goOn = handler.OnPing();
                break;
            case Pong:
                goOn = handler.OnPong();
                break;
            case Info:
                goOn = handler.OnInfo(rest[4..].Trim(" \t"u8));
                break;
            case Err:
                goOn = handler.OnError(rest[4..].Trim(" \t'"u8));
                break;
            case var _ when (verb & ThreeLetters) == Ok:
                goOn = handler.OnOk();
                break;
            default:
                return Unknown(ref error);
        }

        return end + 1;
    }

    private static bool IsVerb(uint verb)
        => verb is Ping or Pong or Info or Err || (verb & ThreeLetters) == Ok;

    private static bool IsSeparator(byte value) => value is (byte)' ' or (byte)'\t';

    private static int Unknown(ref ProtocolError error)
    {
        error = ProtocolError.UnknownOperation;
        return Failed;
    }
}

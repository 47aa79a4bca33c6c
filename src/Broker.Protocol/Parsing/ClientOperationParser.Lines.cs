using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;

namespace Broker.Protocol.Parsing;

// Every operation except PUB. All but HPUB come once per connection or per subscription, not per message.
public partial struct ClientOperationParser
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private int Other<THandler>(
        ref byte start, uint verb, int remaining, ref THandler handler, ref int needed, ref bool goOn, ref ProtocolError error)
        where THandler : struct, IClientOperationHandler, allows ref struct
    {
        switch (verb)
        {
            case Verb.Hpub when remaining > 4:
                return OperationFrame.IsSeparator(Unsafe.Add(ref start, 4))
                    ? Publish(ref start, 5, remaining, true, ref handler, ref needed, ref goOn, ref error)
                    : Unknown(ref error);
            case Verb.Conn:
                return Connect(ref start, remaining, ref handler, ref goOn, ref error);
            case Verb.Unsu:
                return Unsubscribe(ref start, remaining, ref handler, ref goOn, ref error);
            case Verb.Hpub:
                return OperationFrame.Incomplete;
        }

        if (OperationFrame.LengthOfServerVerb(verb, start) is var length and not 0)
        {
            return EitherSide(ref start, verb, length, remaining, ref handler, ref goOn, ref error);
        }

        if (!OperationFrame.IsSeparator(Unsafe.Add(ref start, 3)))
        {
            return Unknown(ref error);
        }

        return (verb & Verb.ThreeLetters) switch
        {
            Verb.Pub => Publish(ref start, 4, remaining, false, ref handler, ref needed, ref goOn, ref error),
            Verb.Sub => Subscribe(ref start, remaining, ref handler, ref goOn, ref error),
            _ => Unknown(ref error),
        };
    }

    private readonly int Subscribe<THandler>(
        ref byte start, int remaining, ref THandler handler, ref bool goOn, ref ProtocolError error)
        where THandler : struct, IClientOperationHandler, allows ref struct
    {
        var scan = default(LineScan);
        ScanStatus status = scan.Scan(ref start, 4, remaining, _maxControlLine);
        if (status != ScanStatus.Complete)
        {
            return OperationFrame.Stop(status, ref error);
        }

        if (scan.Count is not (2 or 3))
        {
            return OperationFrame.Fail(ProtocolError.Malformed, ref error);
        }

        ReadOnlySpan<byte> line = MemoryMarshal.CreateReadOnlySpan(ref start, scan.LineLength);
        goOn = handler.OnSubscribe(
            Argument(line, scan, 0),
            scan.Count == 3 ? Argument(line, scan, 1) : default,
            Argument(line, scan, scan.Count - 1));
        return scan.LineLength;
    }

    private readonly int Unsubscribe<THandler>(
        ref byte start, int remaining, ref THandler handler, ref bool goOn, ref ProtocolError error)
        where THandler : struct, IClientOperationHandler, allows ref struct
    {
        const int VerbLength = 5;
        if ((remaining >= VerbLength && (Unsafe.Add(ref start, VerbLength - 1) | 0x20) != 'b')
            || (remaining > VerbLength && !OperationFrame.IsSeparator(Unsafe.Add(ref start, VerbLength))))
        {
            return Unknown(ref error);
        }

        if (remaining <= VerbLength)
        {
            return OperationFrame.Incomplete;
        }

        var scan = default(LineScan);
        ScanStatus status = scan.Scan(ref start, VerbLength + 1, remaining, _maxControlLine);
        if (status != ScanStatus.Complete)
        {
            return OperationFrame.Stop(status, ref error);
        }

        if (scan.Count is not (1 or 2))
        {
            return OperationFrame.Fail(ProtocolError.Malformed, ref error);
        }

        // An argument that is not a number ends the subscription at once, as in nats-server: a client may send a
        // negative count.
        int max = scan.Count == 2
            ? Math.Max(SizeArgument.Parse(ref Unsafe.Add(ref start, scan.Start(1)), scan.Length(1)), 0)
            : 0;

        ReadOnlySpan<byte> line = MemoryMarshal.CreateReadOnlySpan(ref start, scan.LineLength);
        goOn = handler.OnUnsubscribe(Argument(line, scan, 0), max);
        return scan.LineLength;
    }

    private readonly int Connect<THandler>(
        ref byte start, int remaining, ref THandler handler, ref bool goOn, ref ProtocolError error)
        where THandler : struct, IClientOperationHandler, allows ref struct
    {
        const int VerbLength = 7;
        ReadOnlySpan<byte> line = MemoryMarshal.CreateReadOnlySpan(ref start, remaining);
        int given = Math.Min(remaining, VerbLength);
        if (!Ascii.EqualsIgnoreCase(line[..given], "connect"u8[..given]) || (remaining > VerbLength && !OperationFrame.IsSeparator(line[VerbLength])))
        {
            return Unknown(ref error);
        }

        if (remaining <= VerbLength)
        {
            return OperationFrame.Incomplete;
        }

        int end = OperationFrame.ReadRest(line[(VerbLength + 1)..], _maxControlLine, ref error);
        if (end <= 0)
        {
            return end;
        }

        goOn = handler.OnConnect(line.Slice(VerbLength + 1, end - 1).TrimEnd((byte)'\r'));
        return VerbLength + 1 + end;
    }

    // Operations that servers send. As in nats-server, the rest of the line after PING, PONG and +OK is ignored.
    private readonly int EitherSide<THandler>(
        ref byte start, uint verb, int verbLength, int remaining, ref THandler handler, ref bool goOn, ref ProtocolError error)
        where THandler : struct, IClientOperationHandler, allows ref struct
    {
        ReadOnlySpan<byte> rest = MemoryMarshal.CreateReadOnlySpan(ref start, remaining)[verbLength..];
        if (verb == Verb.Err && !rest.IsEmpty && !OperationFrame.IsSeparator(rest[0]))
        {
            return Unknown(ref error);
        }

        int end = OperationFrame.ReadRest(rest, _maxControlLine, ref error);
        if (end <= 0)
        {
            return end;
        }

        goOn = verb switch
        {
            Verb.Ping => handler.OnPing(),
            Verb.Pong => handler.OnPong(),
            Verb.Info => handler.OnInfo(rest[..end].Trim(" \t\r\n"u8)),
            Verb.Err => handler.OnError(rest[..end].Trim(" \t\r\n"u8)),
            _ => handler.OnOk(),
        };
        return verbLength + end;
    }

    private static ReadOnlySpan<byte> Argument(ReadOnlySpan<byte> line, scoped in LineScan scan, int argument)
        => line[scan.Start(argument)..scan.End(argument)];

    private static int Unknown(ref ProtocolError error) => OperationFrame.Fail(ProtocolError.UnknownOperation, ref error);
}

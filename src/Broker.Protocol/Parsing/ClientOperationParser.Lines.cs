using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;

namespace Broker.Protocol.Parsing;

// Everything but PUB: once per connection or per subscription, not per message, save for HPUB.
public partial struct ClientOperationParser
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private int Other<THandler>(
        ref byte start, uint verb, int remaining, ref THandler handler, ref int needed, ref bool goOn, ref ProtocolError error)
        where THandler : struct, IClientOperationHandler, allows ref struct
    {
        switch (verb)
        {
            case Hpub when remaining > 4:
                return IsSeparator(Unsafe.Add(ref start, 4))
                    ? Publish(ref start, 5, remaining, true, ref handler, ref needed, ref goOn, ref error)
                    : Unknown(ref error);
            case Ping:
            case Pong:
                return PingOrPong(ref start, verb == Ping, remaining, ref handler, ref goOn, ref error);
            case Conn:
                return Connect(ref start, remaining, ref handler, ref goOn, ref error);
            case Unsu:
                return Unsubscribe(ref start, remaining, ref handler, ref goOn, ref error);
            case Hpub:
                return Incomplete;
        }

        if (!IsSeparator(Unsafe.Add(ref start, 3)))
        {
            return Unknown(ref error);
        }

        return (verb & ThreeLetters) switch
        {
            Pub => Publish(ref start, 4, remaining, false, ref handler, ref needed, ref goOn, ref error),
            Sub => Subscribe(ref start, remaining, ref handler, ref goOn, ref error),
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
            return Stop(status, ref error);
        }

        if (scan.Count is not (2 or 3))
        {
            return Malformed(ref error);
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
        const int Verb = 5;
        if ((remaining >= Verb && (Unsafe.Add(ref start, Verb - 1) | 0x20) != 'b')
            || (remaining > Verb && !IsSeparator(Unsafe.Add(ref start, Verb))))
        {
            return Unknown(ref error);
        }

        if (remaining <= Verb)
        {
            return Incomplete;
        }

        var scan = default(LineScan);
        ScanStatus status = scan.Scan(ref start, Verb + 1, remaining, _maxControlLine);
        if (status != ScanStatus.Complete)
        {
            return Stop(status, ref error);
        }

        if (scan.Count is not (1 or 2))
        {
            return Malformed(ref error);
        }

        // What is no number ends the subscription at once, as in nats-server: clients may count below zero.
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
        const int Verb = 7;
        ReadOnlySpan<byte> line = MemoryMarshal.CreateReadOnlySpan(ref start, remaining);
        int given = Math.Min(remaining, Verb);
        if (!Ascii.EqualsIgnoreCase(line[..given], "connect"u8[..given]) || (remaining > Verb && !IsSeparator(line[Verb])))
        {
            return Unknown(ref error);
        }

        if (remaining <= Verb)
        {
            return Incomplete;
        }

        int end = LineEnd(line[(Verb + 1)..], ref error);
        if (end <= 0)
        {
            return end;
        }

        goOn = handler.OnConnect(line.Slice(Verb + 1, end - 1).TrimEnd((byte)'\r'));
        return Verb + 1 + end;
    }

    // What follows the verb on the line is ignored, as nats-server ignores it.
    private readonly int PingOrPong<THandler>(
        ref byte start, bool ping, int remaining, ref THandler handler, ref bool goOn, ref ProtocolError error)
        where THandler : struct, IClientOperationHandler, allows ref struct
    {
        int end = LineEnd(MemoryMarshal.CreateReadOnlySpan(ref start, remaining)[4..], ref error);
        if (end <= 0)
        {
            return end;
        }

        goOn = ping ? handler.OnPing() : handler.OnPong();
        return 4 + end;
    }

    // The length up to and with the LF.
    private readonly int LineEnd(ReadOnlySpan<byte> line, ref ProtocolError error)
    {
        int length = ControlLine.Length(line, _maxControlLine);
        return length == ControlLine.TooLong ? Stop(ScanStatus.TooLong, ref error) : length;
    }

    // Fewer bytes than the shortest verb takes.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Few(ref byte start, int remaining, ref ProtocolError error)
        => ControlLine.MayBegin(MemoryMarshal.CreateReadOnlySpan(ref start, remaining), "PUB HPUBSUB UNSUCONNPINGPONG"u8)
            ? Incomplete
            : Unknown(ref error);

    private static ReadOnlySpan<byte> Argument(ReadOnlySpan<byte> line, scoped in LineScan scan, int argument)
        => line[scan.Start(argument)..scan.End(argument)];

    private static int Unknown(ref ProtocolError error)
    {
        error = ProtocolError.UnknownOperation;
        return Failed;
    }

    private static int Malformed(ref ProtocolError error)
    {
        error = ProtocolError.Malformed;
        return Failed;
    }
}

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;

namespace Broker.Protocol;

// Every operation except the usual PUB. Only HPUB comes once per message. The others come once per connection or
// subscription.
public partial struct ClientOperationParser
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private int ParseOther<THandler>(
        ref byte start, uint verb, int remaining, ref THandler handler, ref int needed, ref bool continues, ref ProtocolError error)
        where THandler : struct, IClientOperationHandler, allows ref struct
    {
        switch (verb)
        {
            case Verb.Hpub when remaining > 4:
                return OperationParsing.IsSeparator(Unsafe.Add(ref start, 4))
                    ? ParsePublish(ref start, 5, remaining, true, ref handler, ref needed, ref continues, ref error)
                    : FailUnknown(ref error);
            case Verb.Conn:
                return ParseConnect(ref start, remaining, ref handler, ref continues, ref error);
            case Verb.Unsu:
                return ParseUnsubscribe(ref start, remaining, ref handler, ref continues, ref error);
            case Verb.Hpub:
                return OperationParsing.Incomplete;
        }

        if (OperationParsing.LengthOfServerVerb(verb, start) is var length and not 0)
        {
            return ParseServerVerb(ref start, verb, length, remaining, ref handler, ref continues, ref error);
        }

        if (!OperationParsing.IsSeparator(Unsafe.Add(ref start, 3)))
        {
            return FailUnknown(ref error);
        }

        return (verb & Verb.ThreeLetters) switch
        {
            Verb.Pub => ParsePublish(ref start, 4, remaining, false, ref handler, ref needed, ref continues, ref error),
            Verb.Sub => ParseSubscribe(ref start, remaining, ref handler, ref continues, ref error),
            _ => FailUnknown(ref error),
        };
    }

    private readonly int ParseSubscribe<THandler>(
        ref byte start, int remaining, ref THandler handler, ref bool continues, ref ProtocolError error)
        where THandler : struct, IClientOperationHandler, allows ref struct
    {
        var scan = default(LineScan);
        ScanStatus status = scan.Scan(ref start, 4, remaining, _maxControlLine);
        if (status != ScanStatus.Complete)
        {
            return OperationParsing.ToResult(status, ref error);
        }

        if (scan.Count is not (2 or 3))
        {
            return OperationParsing.Fail(ProtocolError.Malformed, ref error);
        }

        ReadOnlySpan<byte> line = MemoryMarshal.CreateReadOnlySpan(ref start, scan.LineLength);
        continues = handler.OnSubscribe(
            Argument(line, scan, 0),
            scan.Count == 3 ? Argument(line, scan, 1) : default,
            Argument(line, scan, scan.Count - 1));
        return scan.LineLength;
    }

    private readonly int ParseUnsubscribe<THandler>(
        ref byte start, int remaining, ref THandler handler, ref bool continues, ref ProtocolError error)
        where THandler : struct, IClientOperationHandler, allows ref struct
    {
        const int VerbLength = 5;
        if ((remaining >= VerbLength && (Unsafe.Add(ref start, VerbLength - 1) | 0x20) != 'b')
            || (remaining > VerbLength && !OperationParsing.IsSeparator(Unsafe.Add(ref start, VerbLength))))
        {
            return FailUnknown(ref error);
        }

        if (remaining <= VerbLength)
        {
            return OperationParsing.Incomplete;
        }

        var scan = default(LineScan);
        ScanStatus status = scan.Scan(ref start, VerbLength + 1, remaining, _maxControlLine);
        if (status != ScanStatus.Complete)
        {
            return OperationParsing.ToResult(status, ref error);
        }

        if (scan.Count is not (1 or 2))
        {
            return OperationParsing.Fail(ProtocolError.Malformed, ref error);
        }

        // A count that is not a number ends the subscription at once, as in nats-server: some clients send a negative
        // count.
        int max = scan.Count == 2
            ? Math.Max(SizeArgument.Parse(ref Unsafe.Add(ref start, scan.Start(1)), scan.Length(1)), 0)
            : 0;

        ReadOnlySpan<byte> line = MemoryMarshal.CreateReadOnlySpan(ref start, scan.LineLength);
        continues = handler.OnUnsubscribe(Argument(line, scan, 0), max);
        return scan.LineLength;
    }

    private readonly int ParseConnect<THandler>(
        ref byte start, int remaining, ref THandler handler, ref bool continues, ref ProtocolError error)
        where THandler : struct, IClientOperationHandler, allows ref struct
    {
        const int VerbLength = 7;
        ReadOnlySpan<byte> line = MemoryMarshal.CreateReadOnlySpan(ref start, remaining);
        int given = Math.Min(remaining, VerbLength);
        if (!Ascii.EqualsIgnoreCase(line[..given], "connect"u8[..given]) || (remaining > VerbLength && !OperationParsing.IsSeparator(line[VerbLength])))
        {
            return FailUnknown(ref error);
        }

        if (remaining <= VerbLength)
        {
            return OperationParsing.Incomplete;
        }

        int end = OperationParsing.MeasureRest(line[(VerbLength + 1)..], _maxControlLine, ref error);
        if (end <= 0)
        {
            return end;
        }

        continues = handler.OnConnect(line.Slice(VerbLength + 1, end - 1).TrimEnd((byte)'\r'));
        return VerbLength + 1 + end;
    }

    // Parses operations that usually only servers send. As in nats-server, the rest of the line after PING, PONG and
    // +OK is ignored.
    private readonly int ParseServerVerb<THandler>(
        ref byte start, uint verb, int verbLength, int remaining, ref THandler handler, ref bool continues, ref ProtocolError error)
        where THandler : struct, IClientOperationHandler, allows ref struct
    {
        ReadOnlySpan<byte> rest = MemoryMarshal.CreateReadOnlySpan(ref start, remaining)[verbLength..];
        if (verb == Verb.Err && !rest.IsEmpty && !OperationParsing.IsSeparator(rest[0]))
        {
            return FailUnknown(ref error);
        }

        int end = OperationParsing.MeasureRest(rest, _maxControlLine, ref error);
        if (end <= 0)
        {
            return end;
        }

        continues = verb switch
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

    private static int FailUnknown(ref ProtocolError error) => OperationParsing.Fail(ProtocolError.UnknownOperation, ref error);
}

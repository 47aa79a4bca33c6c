using System.Runtime.CompilerServices;

namespace Broker.Protocol;

// PUB subject [reply] size, HPUB subject [reply] header-size size; then the payload and CR LF.
public partial struct ClientOperationParser
{
    // The parser remembers one of this number of new lines. Most new lines are not repeated, and remembering a line
    // takes as long as dividing it.
    private const uint LinesPerRemembered = 4;

    // The memo holds the line of the previous operation or nothing, because PublishOperation.RepeatsSubject compares
    // with the previous operation.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool ShouldRemember()
    {
        _memo.Forget();
        return _count++ % LinesPerRemembered == 0;
    }

    // Returns the length of the operation, Incomplete or Failed.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private int ParsePublish<THandler>(
        ref byte start, int argumentsAt, int remaining, bool headers,
        ref THandler handler, ref int needed, ref bool continues, ref ProtocolError error)
        where THandler : struct, IClientOperationHandler, allows ref struct
    {
        var scan = default(LineScan);
        ScanStatus status = scan.Scan(ref start, argumentsAt, remaining, _maxControlLine);
        if (status != ScanStatus.Complete)
        {
            return OperationParsing.ToResult(status, ref error);
        }

        if (!PayloadSizes.TryRead(ref start, in scan, 1, headers, _maxPayload, out PayloadSizes sizes, ref error))
        {
            return OperationParsing.Failed;
        }

        int headerLength = sizes.HeaderLength;
        bool hasHeaders = headerLength > 0;
        if (!hasHeaders)
        {
            // A HPUB with header size 0 counts as a PUB, as in nats-server.
            headerLength = -1;
        }

        int last = scan.Count - 1;
        bool hasReply = sizes.HasReply;
        bool canonical = scan.IsCanonical && headers == hasHeaders && !HasLeadingZero(ref start, scan, last)
            && (!headers || !HasLeadingZero(ref start, scan, last - 1));
        _shape = LineShape.None;
        _line = new PublishLine
        {
            SubjectStart = scan.Start(0),
            SubjectLength = scan.Length(0),
            ReplyStart = hasReply ? scan.Start(1) : 0,
            ReplyLength = hasReply ? scan.Length(1) : 0,
            HeaderLength = headerLength,
            PayloadStart = scan.LineLength,
            Size = sizes.Size,
            Length = scan.LineLength + sizes.Size + OperationParsing.EndLength,
            IsCanonical = canonical,
            IsPlain = canonical && !hasHeaders && !hasReply,
        };
        return Deliver(ref start, remaining, ref handler, ref needed, ref continues, ref error);
    }

    // Delivers the operation of the scanned line if the whole operation has arrived.
    private int Deliver<THandler>(
        ref byte start, int remaining, ref THandler handler, ref int needed, ref bool continues, ref ProtocolError error)
        where THandler : struct, IClientOperationHandler, allows ref struct
    {
        _memo.Forget();
        if (_line.Length > remaining)
        {
            needed = _line.Length;
            return OperationParsing.Incomplete;
        }

        if (!_line.IsComplete(ref start, remaining))
        {
            return FailUnknown(ref error);
        }

        if (_line.IsCanonical)
        {
            _memo.Remember(ref start, _line.PayloadStart, remaining);
        }

        continues = CallHandler(ref start, ref _line, ref handler);
        return _line.Length;
    }

    // The handler's publish method is inlined here once. So it does not enlarge the frames of the methods that divide
    // lines.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool CallHandler<THandler>(ref byte start, ref readonly PublishLine line, ref THandler handler)
        where THandler : struct, IClientOperationHandler, allows ref struct
        => handler.OnPublish(new PublishOperation(ref start, in line, repeatsSubject: false));

    private static bool HasLeadingZero(ref byte start, in LineScan scan, int argument)
        => scan.Length(argument) > 1 && Unsafe.Add(ref start, scan.Start(argument)) == (byte)'0';
}

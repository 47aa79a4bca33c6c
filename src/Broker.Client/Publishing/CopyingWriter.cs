namespace Broker.Client;

/// <summary>Writes headers and body from the caller's memory.</summary>
internal readonly ref struct CopyingWriter(ReadOnlySpan<byte> headers, ReadOnlySpan<byte> body) : IPayloadWriter
{
    private readonly ReadOnlySpan<byte> _headers = headers;
    private readonly ReadOnlySpan<byte> _body = body;

    public void Write(Span<byte> payload)
    {
        _headers.CopyTo(payload);
        _body.CopyTo(payload[_headers.Length..]);
    }
}

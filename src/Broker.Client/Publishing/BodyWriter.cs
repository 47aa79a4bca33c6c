namespace Broker.Client;

/// <summary>Writes headers from the caller's memory, and a body of bytes or text.</summary>
internal readonly ref struct BodyWriter(ReadOnlySpan<byte> headers, OutboundBody body) : IPayloadWriter
{
    private readonly ReadOnlySpan<byte> _headers = headers;
    private readonly OutboundBody _body = body;

    public void Write(Span<byte> payload)
    {
        _headers.CopyTo(payload);
        _body.WriteTo(payload[_headers.Length..]);
    }
}

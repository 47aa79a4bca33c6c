namespace Broker.ZeroMq;

/// <summary>Encoders for the usual forms of a message.</summary>
internal static class Encoders
{
    internal readonly ref struct OneFrame(ReadOnlySpan<byte> frame) : IRoutableEncoder
    {
        private readonly ReadOnlySpan<byte> _frame = frame;

        public int EncodedSize => ZmtpWriter.FrameSize(_frame.Length);

        public void Encode(Span<byte> destination) => ZmtpWriter.WriteMessage(destination, _frame);

        public bool TryGetAddress(out ReadOnlySpan<byte> address)
        {
            address = _frame;
            return false;
        }
    }

    internal readonly ref struct TwoFrames(ReadOnlySpan<byte> topic, ReadOnlySpan<byte> body) : IRoutableEncoder
    {
        private readonly ReadOnlySpan<byte> _topic = topic;
        private readonly ReadOnlySpan<byte> _body = body;

        public int EncodedSize => checked(ZmtpWriter.FrameSize(_topic.Length) + ZmtpWriter.FrameSize(_body.Length));

        public void Encode(Span<byte> destination) => ZmtpWriter.WriteMessage(destination, _topic, _body);

        public bool TryGetAddress(out ReadOnlySpan<byte> address)
        {
            address = _topic;
            return true;
        }
    }

    internal readonly ref struct ManyFrames(ReadOnlySpan<ReadOnlyMemory<byte>> frames) : IRoutableEncoder
    {
        private readonly ReadOnlySpan<ReadOnlyMemory<byte>> _frames = !frames.IsEmpty
            ? frames
            : throw new ArgumentException("A message has at least one frame.", nameof(frames));

        public int EncodedSize => checked((int)ZmtpWriter.MessageSize(_frames));

        public void Encode(Span<byte> destination) => ZmtpWriter.WriteMessage(destination, _frames);

        public bool TryGetAddress(out ReadOnlySpan<byte> address)
        {
            address = _frames[0].Span;
            return _frames.Length > 1;
        }
    }

    internal readonly ref struct Verbatim(ReadOnlySpan<byte> encoded) : IRoutableEncoder
    {
        private readonly ReadOnlySpan<byte> _encoded = encoded;

        public int EncodedSize => _encoded.Length;

        public void Encode(Span<byte> destination) => _encoded.CopyTo(destination);

        public bool TryGetAddress(out ReadOnlySpan<byte> address)
        {
            address = EncodedMessage.SplitFrame(_encoded, out bool more, out _);
            return more;
        }
    }

    /// <summary>
    /// A message that consists of an envelope and a body. The envelope is encoded frames that have the MORE bit.
    /// </summary>
    internal ref struct Enveloped<TMessage>(ReadOnlySpan<byte> envelope, TMessage body) : IRoutableEncoder
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        private readonly ReadOnlySpan<byte> _envelope = envelope;
        private TMessage _body = body;

        public int EncodedSize => checked(_envelope.Length + _body.EncodedSize);

        public void Encode(Span<byte> destination)
        {
            _envelope.CopyTo(destination);
            _body.Encode(destination[_envelope.Length..]);
        }

        public readonly bool TryGetAddress(out ReadOnlySpan<byte> address)
        {
            address = EncodedMessage.SplitFrame(_envelope, out bool more, out _);
            return more;
        }
    }

    /// <summary>A received message, without the commands that the peer may have sent between its frames.</summary>
    internal readonly ref struct Received(ZmtpMessage message) : IZmtpEncoder
    {
        private readonly ZmtpMessage _message = message;

        public int EncodedSize => _message.EncodedSize;

        public void Encode(Span<byte> destination) => _message.CopyTo(destination);
    }
}

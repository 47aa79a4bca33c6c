namespace Broker.ZeroMq;

/// <summary>Encoders for the usual forms of a message.</summary>
internal static class Encoders
{
    internal readonly ref struct OneFrame(ReadOnlySpan<byte> frame) : IZmtpEncoder
    {
        private readonly ReadOnlySpan<byte> _frame = frame;

        public int EncodedSize => ZmtpWriter.FrameSize(_frame.Length);

        public void Encode(Span<byte> destination) => ZmtpWriter.WriteMessage(destination, _frame);
    }

    internal readonly ref struct TwoFrames(ReadOnlySpan<byte> topic, ReadOnlySpan<byte> body) : IZmtpEncoder
    {
        private readonly ReadOnlySpan<byte> _topic = topic;
        private readonly ReadOnlySpan<byte> _body = body;

        public int EncodedSize => checked(ZmtpWriter.FrameSize(_topic.Length) + ZmtpWriter.FrameSize(_body.Length));

        public void Encode(Span<byte> destination) => ZmtpWriter.WriteMessage(destination, _topic, _body);
    }

    internal readonly ref struct ManyFrames(ReadOnlySpan<ReadOnlyMemory<byte>> frames) : IZmtpEncoder
    {
        private readonly ReadOnlySpan<ReadOnlyMemory<byte>> _frames = frames;

        public int EncodedSize => checked((int)ZmtpWriter.MessageSize(_frames));

        public void Encode(Span<byte> destination) => ZmtpWriter.WriteMessage(destination, _frames);
    }

    internal readonly ref struct Verbatim(ReadOnlySpan<byte> encoded) : IZmtpEncoder
    {
        private readonly ReadOnlySpan<byte> _encoded = encoded;

        public int EncodedSize => _encoded.Length;

        public void Encode(Span<byte> destination) => _encoded.CopyTo(destination);
    }

    /// <summary>A message after encoded frames that have the MORE bit.</summary>
    internal ref struct Enveloped<TMessage>(ReadOnlySpan<byte> envelope, TMessage body) : IZmtpEncoder
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
    }

    /// <summary>A received message, without the commands that the peer may have sent between its frames.</summary>
    internal readonly ref struct Received(ZmtpMessage message) : IZmtpEncoder
    {
        private readonly ZmtpMessage _message = message;

        public int EncodedSize => _message.EncodedSize;

        public void Encode(Span<byte> destination) => _message.CopyTo(destination);
    }
}

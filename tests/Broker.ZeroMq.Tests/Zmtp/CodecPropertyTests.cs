using CsCheck;

namespace Broker.ZeroMq.Tests.Zmtp;

/// <summary>
/// Tests the codecs of ZMTP with generated input. A failure is reduced to the smallest input that fails.
/// </summary>
public sealed class CodecPropertyTests
{
    private static readonly Gen<byte[]> Body = Gen.OneOf(Gen.Byte.Array[0, 8], Gen.Byte.Array[250, 260]);

    private static readonly Gen<byte[][]> Message = Body.Array[1, 4];

    // The names of metadata properties allow these characters only.
    private static readonly Gen<byte[]> Name =
        Gen.Char["ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.+"]
            .Select(c => (byte)c).Array[1, 20];

    [Fact]
    public void Messages_round_trip_for_any_size_of_reads()
        => Gen.Select(Message.Array[1, 6], Gen.Int[1, 600]).Sample((messages, size) =>
        {
            byte[] stream = Wire.Join([.. messages.Select(Encode)]);
            var decoder = new ZmtpDecoder(ZmtpLimits.Default);
            var collector = new Collector();
            int start = 0;
            for (int end = 0; end < stream.Length;)
            {
                end = Math.Min(end + size, stream.Length);
                ZmtpDecodeResult result = decoder.Decode(stream.AsSpan(start, end - start), ref collector);
                Assert.Equal(ZmtpError.None, result.Error);
                start += result.Consumed;
            }

            Assert.Equal(stream.Length, start);
            Assert.Equal(messages.Length, collector.Messages.Count);
            for (int i = 0; i < messages.Length; i++)
            {
                Assert.Equal(messages[i], collector.Messages[i]);
            }
        });

    [Fact]
    public void An_encoded_message_is_measured_and_split_into_its_frames()
        => Message.Sample(frames =>
        {
            byte[] encoded = Encode(frames);
            Assert.Equal(encoded.Length, EncodedMessage.Measure([.. encoded, 0, 0]));
            ReadOnlySpan<byte> rest = encoded;
            for (int i = 0; i < frames.Length; i++)
            {
                Assert.Equal(frames[i], EncodedMessage.SplitFrame(rest, out bool more, out int size).ToArray());
                Assert.Equal(i + 1 < frames.Length, more);
                rest = rest[size..];
            }

            Assert.True(rest.IsEmpty);
        });

    [Fact]
    public void Arbitrary_octets_have_the_same_result_for_any_size_of_reads()
        => Gen.Select(Gen.OneOf(Gen.Byte.Array[0, 40], Message.Select(Encode)), Gen.Byte.Array[0, 12], Gen.Int[1, 20])
            .Sample((first, second, size) =>
            {
                byte[] stream = [.. first, .. second];
                Session whole = new Session(ZmtpLimits.Default).Feed(stream);
                Session pieces = new Session(ZmtpLimits.Default).FeedInPieces(stream, size);
                Assert.Equal(whole.Error, pieces.Error);
                Assert.Equal(whole.Events, pieces.Events);
            });

    [Fact]
    public void Metadata_is_read_as_it_was_written()
        => Gen.Select(Name, Gen.Byte.Array[0, 40]).Array[0, 5].Sample(properties =>
        {
            byte[] metadata = new byte[properties.Sum(p => ZmtpMetadataWriter.Size(p.Item1.Length, p.Item2.Length))];
            var writer = new ZmtpMetadataWriter(metadata);
            foreach ((byte[]? name, byte[]? value) in properties)
            {
                writer.Add(name, value);
            }

            Assert.Equal(metadata.Length, writer.Written);
            var reader = new ZmtpMetadataReader(metadata);
            foreach ((byte[]? name, byte[]? value) in properties)
            {
                Assert.True(reader.Read(out ZmtpProperty property));
                Assert.Equal(name, property.Name.ToArray());
                Assert.Equal(value, property.Value.ToArray());
            }

            Assert.False(reader.Read(out _));
            Assert.Equal(ZmtpError.None, reader.Error);
        });

    [Fact]
    public void Subscriptions_agree_with_a_list_of_prefixes()
        => Gen.Select(Gen.Bool, Gen.Byte[0, 2].Array[0, 5]).Array[0, 60].Sample(steps =>
        {
            var set = new PrefixSubscriptions();
            var list = new List<string>();
            foreach ((bool adds, byte[]? prefix) in steps)
            {
                string key = Convert.ToHexString(prefix);
                if (adds)
                {
                    set.Add(prefix);
                    list.Add(key);
                }
                else
                {
                    Assert.Equal(list.Remove(key), set.Remove(prefix) != PrefixChange.NotFound);
                }

                Assert.Equal(list.Distinct().Count(), set.Count);
                Assert.Equal(list.Exists(p => key.StartsWith(p, StringComparison.Ordinal)), set.Matches(prefix));
            }
        });

    private static byte[] Encode(byte[][] frames)
    {
        ReadOnlyMemory<byte>[] memory = [.. frames.Select(f => (ReadOnlyMemory<byte>)f)];
        byte[] encoded = new byte[ZmtpWriter.MessageSize(memory)];
        Assert.Equal(encoded.Length, ZmtpWriter.WriteMessage(encoded, memory));
        return encoded;
    }

    private struct Collector() : IZmtpFrameHandler
    {
        public List<byte[][]> Messages { get; } = [];

        public readonly ZmtpVerdict OnMessage(in ZmtpMessage message)
        {
            var frames = new List<byte[]>();
            foreach (ZmtpFrame frame in message)
            {
                frames.Add(frame.Body.ToArray());
            }

            Messages.Add([.. frames]);
            return ZmtpVerdict.Continue;
        }

        public readonly ZmtpVerdict OnCommand(in ZmtpCommand command) => ZmtpVerdict.Abort;
    }
}

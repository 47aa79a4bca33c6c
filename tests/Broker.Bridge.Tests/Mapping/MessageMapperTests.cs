using System.Buffers.Binary;
using System.Text;

namespace Broker.Bridge.Tests.Mapping;

public sealed class MessageMapperTests
{
    private const string Origin = "Zmq-Origin: bridge-1\r\n";
    private readonly MessageMapper _mapper = new(Codecs.Options);

    [Fact]
    public void Two_frames_are_topic_and_raw_body()
    {
        Published mapped = Publish(_mapper, "weather.oslo"u8.ToArray(), "12C"u8.ToArray());
        Assert.Equal(new Published("zmq.weather.oslo", $"NATS/1.0\r\n{Origin}\r\n", "12C"), mapped);
    }

    [Fact]
    public void One_frame_is_the_raw_payload_and_its_topic_ends_at_the_delimiter()
    {
        Published mapped = Publish(_mapper, "weather.oslo 12C"u8.ToArray());
        Assert.Equal(new Published("zmq.weather.oslo", $"NATS/1.0\r\n{Origin}Zmq-Frames: 1\r\n\r\n", "weather.oslo 12C"), mapped);
        Assert.Equal("zmq.weather.oslo=2012C", Publish(_mapper, "weather.oslo 12C"u8.ToArray(), []).Subject);
    }

    [Fact]
    public void More_frames_are_length_framed()
    {
        Published mapped = Publish(_mapper, "t"u8.ToArray(), "ab"u8.ToArray(), [], "c"u8.ToArray());
        Assert.Equal(
            new Published("zmq.t", $"NATS/1.0\r\n{Origin}Zmq-Frames: 4\r\n\r\n", "\0\0\0\u0002ab\0\0\0\0\0\0\0\u0001c"), mapped);
    }

    [Fact]
    public void A_hashed_topic_travels_in_a_header_and_cannot_end_it()
    {
        byte[] topic = Codecs.Latin1("a.\r\nInjected: x\r\n\r\n" + new string('\0', 4096));
        Published mapped = Publish(_mapper, topic, "b"u8.ToArray());
        Assert.StartsWith("zmq.a.==", mapped.Subject, StringComparison.Ordinal);
        Assert.Contains("\r\nZmq-Topic: ", mapped.Headers, StringComparison.Ordinal);
        Assert.DoesNotContain("Injected", mapped.Headers, StringComparison.Ordinal);
        Assert.Equal(5, mapped.Headers.Split("\r\n").Length);
        Assert.Equal([topic, "b"u8.ToArray()], Deliver(_mapper, mapped));
    }

    [Fact]
    public void A_native_message_is_the_decoded_topic_and_the_payload()
    {
        Assert.Equal(["a b"u8.ToArray(), "x"u8.ToArray()], Deliver(_mapper, new("zmq.a=20b", "", "x")));
        Assert.Equal(["a/b"u8.ToArray(), "x"u8.ToArray()], Deliver(_mapper, new("zmq.a/b", "NATS/1.0\r\nMine: 1\r\n\r\n", "x")));
        Assert.Equal(["a"u8.ToArray(), "x"u8.ToArray()], Deliver(_mapper, new("zmq.a", "NATS/1.0\r\nZmq-Frames: 2\r\n\r\n", "x")));
    }

    [Fact]
    public void Random_messages_come_back_frame_by_frame()
    {
        var random = new Random(Seed.Next());
        foreach (byte delimiter in "./ "u8.ToArray())
        {
            var mapper = new MessageMapper(Codecs.Options with { TopicDelimiter = delimiter, MaxSubjectLength = 80, MaxSingleFrameTopic = 40 });
            for (int i = 0; i < 10_000; i++)
            {
                byte[][] frames = new byte[1 + random.Next(random.Next(2) == 0 ? 2 : 8)][];
                for (int f = 0; f < frames.Length; f++)
                {
                    frames[f] = RandomBytes.Next(random, 400);
                }

                Published mapped = Publish(mapper, frames);
                Assert.True(Subjects.IsLiteral(Codecs.Latin1(mapped.Subject)));
                Assert.Equal(frames, Deliver(mapper, mapped));
            }
        }
    }

    [Fact]
    public void A_prefix_of_the_first_frame_finds_the_message_however_many_frames_it_has()
    {
        var random = new Random(Seed.Next());
        for (int i = 0; i < 5_000; i++)
        {
            byte[][] frames = new byte[1 + random.Next(4)][];
            for (int f = 0; f < frames.Length; f++)
            {
                frames[f] = RandomBytes.Next(random, 200);
            }

            string subject = Publish(_mapper, frames).Subject;
            Assert.True(Subjects.Matches(_mapper.Codec.Filter(frames[0].AsSpan(0, random.Next(frames[0].Length + 1))), subject));
        }
    }

    public static TheoryData<string, string, string, MapStatus> Refused => new()
    {
        { "other.a", "", "x", MapStatus.OutsidePrefix },
        { "zmq.==0123456789abcdef0123456789abcdef", "", "x", MapStatus.TopicMissing },
        { "zmq.a", "Zmq-Frames: 3", "", MapStatus.MalformedFrames },
        { "zmq.a", "Zmq-Frames: 3", "\0\0\0\u0001a\0\0\0\u0001bc", MapStatus.MalformedFrames },
        { "zmq.a", "Zmq-Frames: 3", "\0\0\0\u0001a\0\0\0\u0001", MapStatus.MalformedFrames },
        { "zmq.a", "Zmq-Frames: 3", "\u00FF\u00FF\u00FF\u00FFa\0\0\0\0", MapStatus.MalformedFrames },
        { "zmq.a", "Zmq-Frames: 3", "\0\0\0", MapStatus.MalformedFrames },
        { "zmq.a", "Zmq-Frames: 65536", "", MapStatus.TooManyFrames },
        { "zmq.a", "Zmq-Frames: 0", "", MapStatus.MalformedHeaders },
        { "zmq.a", "Zmq-Frames: -1", "", MapStatus.MalformedHeaders },
        { "zmq.a", "Zmq-Frames: 03", "", MapStatus.MalformedHeaders },
        { "zmq.a", "Zmq-Frames: ", "", MapStatus.MalformedHeaders },
        { "zmq.a", "Zmq-Frames: 4294967297", "", MapStatus.MalformedHeaders },
        { "zmq.a", "Zmq-Frames: 1\r\nZmq-Frames: 1", "a", MapStatus.MalformedHeaders },
        { "zmq.a", "Zmq-Origin: x\r\nZmq-Origin: y", "a", MapStatus.MalformedHeaders },
        { "zmq.a", "Zmq-Topic: YQ\r\nZmq-Topic: YQ", "a", MapStatus.MalformedHeaders },
        { "zmq.a", "Zmq-Topic: !!", "a", MapStatus.MalformedHeaders },
        { "zmq.a", "Zmq-Topic: Y", "a", MapStatus.MalformedHeaders },
        { "zmq.a", "Zmq-Topic: Yg", "x", MapStatus.TopicMismatch },
        { "zmq.a", "Zmq-Frames: 1", "b x", MapStatus.TopicMismatch },
        { "zmq.a", "X: y\nZmq-Frames: 1", "a", MapStatus.MalformedHeaders },
        { "zmq.a", "X: y\rZmq-Frames: 1", "a", MapStatus.MalformedHeaders },
        { "zmq.a", "no colon", "a", MapStatus.MalformedHeaders },
        { "zmq.a", ": no name", "a", MapStatus.MalformedHeaders },
        { "zmq.a", "X: y\r\n\r\nmore: 1", "a", MapStatus.MalformedHeaders },
    };

    [Theory]
    [MemberData(nameof(Refused))]
    public void A_bad_message_from_the_subject_side_is_refused_and_counted(string subject, string lines, string payload, MapStatus reason)
    {
        string headers = lines.Length == 0 ? "" : $"NATS/1.0\r\n{lines}\r\n\r\n";
        Assert.Equal(reason, TryDeliver(_mapper, new(subject, headers, payload), out _));
        Assert.Equal(1, _mapper.Counters[reason]);
    }

    [Theory]
    [InlineData("NATS/1.0")]
    [InlineData("NATS/1.0\r\n")]
    [InlineData("NATS/1.01\r\n\r\n")]
    [InlineData("HTTP/1.1\r\n\r\n")]
    [InlineData("NATS/1.0\r\nA: b\r\n")]
    [InlineData("NATS/1.0\r\n\r\n\r\n")]
    public void A_block_that_is_not_whole_is_malformed(string headers)
        => Assert.Equal(MapStatus.MalformedHeaders, TryDeliver(_mapper, new("zmq.a", headers, ""), out _));

    [Fact]
    public void A_header_block_cut_anywhere_is_malformed()
    {
        Published mapped = Publish(_mapper, new byte[400], [1], [2]);
        for (int cut = 1; cut < mapped.Headers.Length; cut++)
        {
            Assert.Equal(MapStatus.MalformedHeaders, TryDeliver(_mapper, mapped with { Headers = mapped.Headers[..cut] }, out _));
        }

        for (int cut = 0; cut < mapped.Payload.Length; cut++)
        {
            Assert.Equal(MapStatus.MalformedFrames, TryDeliver(_mapper, mapped with { Payload = mapped.Payload[..cut] }, out _));
        }
    }

    [Fact]
    public void Mutated_messages_never_throw()
    {
        var random = new Random(Seed.Next());
        Published whole = Publish(_mapper, new byte[400], [1, 2], [3]);
        var outcomes = new HashSet<MapStatus>();
        for (int i = 0; i < 50_000; i++)
        {
            Published mutated = random.Next(3) switch
            {
                0 => whole with { Subject = Mutate(random, whole.Subject) },
                1 => whole with { Headers = Mutate(random, whole.Headers) },
                _ => whole with { Payload = Mutate(random, whole.Payload) },
            };
            outcomes.Add(TryDeliver(_mapper, mutated, out _));
        }

        Assert.True(outcomes.Count >= 5);
    }

    [Fact]
    public void A_wire_message_cut_anywhere_is_refused()
    {
        byte[] wire = Wire("topic"u8.ToArray(), new byte[300], "x"u8.ToArray());
        Assert.Equal(MapStatus.Mapped, ToSubject(_mapper, wire));
        Assert.Equal(MapStatus.NoFrames, ToSubject(_mapper, []));
        for (int cut = 1; cut < wire.Length; cut++)
        {
            Assert.Equal(MapStatus.MalformedFrames, ToSubject(_mapper, wire[..cut]));
        }

        Assert.Equal(MapStatus.MalformedFrames, ToSubject(_mapper, [.. wire, 0]));
        Assert.Equal(MapStatus.MalformedFrames, ToSubject(_mapper, [4, 1, 0]));
        Assert.Equal(MapStatus.MalformedFrames, ToSubject(_mapper, [2, 0x80, 0, 0, 0, 0, 0, 0, 1, 0]));
        Assert.Equal(MapStatus.MalformedFrames, ToSubject(_mapper, [2, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0]));
    }

    [Fact]
    public void Messages_beyond_the_limits_are_refused_and_counted()
    {
        var mapper = new MessageMapper(Codecs.Options with { MaxTopicBytes = 500, MaxPayload = 600, MaxFrames = 3 });
        int headers = $"NATS/1.0\r\n{Origin}\r\n".Length;
        Assert.Equal(MapStatus.Mapped, ToSubject(mapper, Wire([1], new byte[600 - headers])));
        Assert.Equal(MapStatus.TooLarge, ToSubject(mapper, Wire([1], new byte[601 - headers])));
        Assert.Equal(MapStatus.TooLarge, ToSubject(mapper, Wire([1], new byte[10], new byte[600])));
        Assert.Equal(MapStatus.Mapped, ToSubject(mapper, Wire([1], [2], [3])));
        Assert.Equal(MapStatus.TooManyFrames, ToSubject(mapper, Wire([1], [2], [3], [4])));
        // The header with a hashed topic counts towards the payload limit, as it does at the server.
        Assert.Equal(MapStatus.TooLarge, ToSubject(mapper, Wire(new byte[500], [2])));
        Assert.Equal(MapStatus.TopicTooLong, ToSubject(mapper, Wire(new byte[501], [2])));
        Assert.Equal(3, mapper.Counters[MapStatus.TooLarge]);
        Assert.Equal(1, mapper.Counters[MapStatus.TooManyFrames]);
        Assert.Equal(1, mapper.Counters[MapStatus.TopicTooLong]);
        Assert.Equal(0, mapper.Counters[MapStatus.Mapped]);
    }

    [Fact]
    public void Scratch_that_is_too_short_is_a_status_at_every_length()
    {
        foreach (byte[]? wire in new[] { Wire(new byte[400], [1]), Wire([1], new byte[40], [2], []), Wire(new byte[400], [1], [2]) })
        {
            var statuses = new List<MapStatus>();
            for (int length = 0; length <= _mapper.ToSubjectScratch(wire.Length); length++)
            {
                statuses.Add(_mapper.ToSubject(new ZmtpFrames(wire), new byte[length], out _));
            }

            int enough = statuses.IndexOf(MapStatus.Mapped);
            Assert.True(enough > 0);
            Assert.All(statuses[..enough], static s => Assert.Equal(MapStatus.ScratchTooSmall, s));
            Assert.All(statuses[enough..], static s => Assert.Equal(MapStatus.Mapped, s));
        }

        Assert.Equal(MapStatus.ScratchTooSmall, _mapper.FromSubject("zmq.abc"u8, [], [], new byte[2], out _));
    }

    [Fact]
    public void Own_messages_go_back_unless_echo_is_off()
    {
        Published mapped = Publish(_mapper, "a"u8.ToArray(), "b"u8.ToArray());
        Assert.Equal(MapStatus.Mapped, TryDeliver(_mapper, mapped, out _));

        var silent = new MessageMapper(Codecs.Options with { Echo = false });
        Assert.Equal(MapStatus.OwnOrigin, TryDeliver(silent, mapped, out _));
        Assert.Equal(1, silent.Counters[MapStatus.OwnOrigin]);
        Assert.Equal(MapStatus.Mapped, TryDeliver(silent, mapped with { Headers = "NATS/1.0\r\nZmq-Origin: bridge-10\r\n\r\n" }, out _));
        Assert.Equal(MapStatus.Mapped, TryDeliver(silent, mapped with { Headers = "" }, out _));
    }

    [Fact]
    public void Options_decide_on_foreign_subjects_and_on_unverified_topics()
    {
        var strict = new MessageMapper(Codecs.Options with { RefuseForeignSubjects = true });
        Assert.Equal(MapStatus.ForeignSubject, TryDeliver(strict, new("zmq.a/b", "", ""), out _));
        Assert.Equal(MapStatus.Mapped, TryDeliver(strict, new("zmq.a=2Fb", "", ""), out _));

        var trusting = new MessageMapper(Codecs.Options with { VerifyTopic = false });
        Assert.Equal(["b"u8.ToArray(), "x"u8.ToArray()], Deliver(trusting, new("moved.a", "NATS/1.0\r\nZmq-Topic: Yg\r\n\r\n", "x")));
    }

    [Theory]
    [InlineData("")]
    [InlineData("a b")]
    [InlineData("a\r\nb")]
    [InlineData("12345678901234567890123456789012345678901234567890123456789012345")]
    public void A_bridge_id_that_could_break_a_header_is_refused(string id)
        => Assert.Throws<ArgumentException>(() => new MessageMapper(Codecs.Options with { BridgeId = id }));

    [Fact]
    public void Mapping_two_frames_there_and_back_allocates_nothing()
    {
        byte[] wire = Wire("weather.oslo"u8.ToArray(), new byte[64]);
        byte[] scratch = new byte[_mapper.ToSubjectScratch(wire.Length)];
        byte[] topic = new byte[1024];
        Assert.Equal(0, Allocations.Of(() =>
        {
            for (int i = 0; i < 1000; i++)
            {
                ThereAndBack(wire, scratch, topic);
            }
        }));
    }

    private void ThereAndBack(byte[] wire, byte[] scratch, byte[] topic)
    {
        if (_mapper.ToSubject(new ZmtpFrames(wire), scratch, out SubjectMessage there) != MapStatus.Mapped
            || _mapper.FromSubject(there.Subject, there.Headers, there.Payload, topic, out FrameReader back) != MapStatus.Mapped
            || back.FirstFrame.Length != 12)
        {
            throw new InvalidOperationException("Not mapped.");
        }
    }

    private static string Mutate(Random random, string text)
    {
        char[] chars = text.ToCharArray();
        for (int i = random.Next(3); i >= 0; i--)
        {
            chars[random.Next(chars.Length)] = (char)random.Next(256);
        }

        return new string(chars, 0, random.Next(4) == 0 ? random.Next(chars.Length) : chars.Length);
    }

    private static MapStatus ToSubject(MessageMapper mapper, byte[] wire)
        => mapper.ToSubject(new ZmtpFrames(wire), new byte[mapper.ToSubjectScratch(wire.Length)], out _);

    private static Published Publish(MessageMapper mapper, params byte[][] frames)
    {
        byte[] wire = Wire(frames);
        Assert.Equal(MapStatus.Mapped, mapper.ToSubject(new ZmtpFrames(wire), new byte[mapper.ToSubjectScratch(wire.Length)], out SubjectMessage m));
        return new(Encoding.Latin1.GetString(m.Subject), Encoding.Latin1.GetString(m.Headers), Encoding.Latin1.GetString(m.Payload));
    }

    private static List<byte[]> Deliver(MessageMapper mapper, Published published)
    {
        Assert.Equal(MapStatus.Mapped, TryDeliver(mapper, published, out List<byte[]>? frames));
        return frames;
    }

    private static MapStatus TryDeliver(MessageMapper mapper, Published published, out List<byte[]> frames)
    {
        frames = [];
        byte[] scratch = new byte[MessageMapper.FromSubjectScratch(published.Subject.Length, published.Headers.Length)];
        MapStatus status = mapper.FromSubject(
            Codecs.Latin1(published.Subject), Codecs.Latin1(published.Headers), Codecs.Latin1(published.Payload), scratch, out FrameReader message);
        while (status == MapStatus.Mapped && message.Next(out ReadOnlySpan<byte> frame) == FrameRead.Frame)
        {
            frames.Add(frame.ToArray());
        }

        if (status == MapStatus.Mapped)
        {
            Assert.Equal(message.FrameCount, frames.Count);
        }

        return status;
    }

    private static byte[] Wire(params byte[][] frames)
    {
        var wire = new List<byte>();
        for (int i = 0; i < frames.Length; i++)
        {
            byte more = (byte)(i < frames.Length - 1 ? 1 : 0);
            if (frames[i].Length < 256)
            {
                wire.AddRange([more, (byte)frames[i].Length]);
            }
            else
            {
                byte[] length = new byte[8];
                BinaryPrimitives.WriteInt64BigEndian(length, frames[i].Length);
                wire.AddRange([(byte)(more | 2), .. length]);
            }

            wire.AddRange(frames[i]);
        }

        return [.. wire];
    }

    private sealed record Published(string Subject, string Headers, string Payload);
}

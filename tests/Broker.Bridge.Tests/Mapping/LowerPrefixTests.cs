namespace Broker.Bridge.Tests.Mapping;

public sealed class LowerPrefixTests
{
    private readonly TopicCodec _codec = new(Codecs.Options);

    [Theory]
    [InlineData("", "zmq.>")]
    [InlineData("a", "zmq.>")]
    [InlineData("a.", "zmq.a.>")]
    [InlineData("a.b", "zmq.a.>")]
    [InlineData("a.b.", "zmq.a.b.>")]
    [InlineData(".", "zmq.=.>")]
    [InlineData("..", "zmq.=.=.>")]
    [InlineData("a/x.b", "zmq.a=2Fx.>")]
    [InlineData("a.b c.d", "zmq.a.>")]
    [InlineData(" a.b", "zmq.>")]
    public void A_prefix_has_this_filter(string prefix, string filter) => Assert.Equal(filter, _codec.Filter(prefix));

    [Theory]
    [InlineData("a.b")]
    [InlineData("a.bc")]
    [InlineData("a.b.c")]
    public void The_filter_of_a_partial_token_finds_all_its_continuations(string topic)
        => Assert.True(Subjects.Matches(_codec.Filter("a.b"), _codec.Encode(topic)));

    [Fact]
    public void Without_a_single_frame_delimiter_a_prefix_is_cut_only_at_the_maximum()
    {
        var codec = new TopicCodec(Codecs.Options with { SingleFrameDelimiter = null, MaxSingleFrameTopic = 8 });
        Assert.Equal("zmq.a.b=20c.>", codec.Filter("a.b c.d"));
        Assert.Equal("zmq.a.b=20c.>", codec.Filter("a.b c.dddddd.e"));
    }

    public static TheoryData<byte, int, byte?, int> Settings => new()
    {
        { (byte)'.', 256, (byte)' ', 128 },
        { (byte)'.', 60, (byte)' ', 128 },
        { (byte)'.', 45, null, 20 },
        { (byte)'/', 70, (byte)' ', 6 },
        { (byte)' ', 80, (byte)' ', 30 },
        { (byte)'.', 80, (byte)'.', 30 },
        { (byte)'=', 50, (byte)'a', 0 },
    };

    [Theory]
    [MemberData(nameof(Settings))]
    public void The_filter_of_every_prefix_of_a_first_frame_matches_the_message(byte delimiter, int maxSubject, byte? frameDelimiter, int maxSingle)
    {
        var codec = new TopicCodec(Codecs.Options with
        {
            TopicDelimiter = delimiter,
            MaxSubjectLength = maxSubject,
            SingleFrameDelimiter = frameDelimiter,
            MaxSingleFrameTopic = maxSingle,
        });
        var random = new Random(Seed.Next());
        int hashed = 0, narrowed = 0, excluded = 0;
        for (int i = 0; i < 2_000; i++)
        {
            byte[] topic = RandomBytes.Next(random, 120);
            byte[] buffer = new byte[codec.MaxSubjectLength];
            codec.Encode(topic, buffer, out bool isHashed);
            hashed += isHashed ? 1 : 0;
            string twoFrames = codec.Encode(topic);
            string oneFrame = codec.Encode(codec.SingleFrameTopic(topic).ToArray());
            for (int length = 0; length <= topic.Length; length++)
            {
                string filter = codec.Filter(topic.AsSpan(0, length));
                Assert.True(filter.Length <= codec.MaxSubjectLength);
                Assert.True(Subjects.Matches(filter, twoFrames), $"{filter} misses {twoFrames}");
                Assert.True(Subjects.Matches(filter, oneFrame), $"{filter} misses {oneFrame}");
                narrowed += filter == "zmq.>" ? 0 : 1;
            }

            // A topic without the prefix may match or not, but the filter must be valid, and it must exclude some
            // topics.
            string other = codec.Filter(RandomBytes.Next(random, 120));
            Assert.EndsWith(".>", other, StringComparison.Ordinal);
            Assert.True(Subjects.IsLiteral(Codecs.Latin1(other[..^2])));
            excluded += Subjects.Matches(other, twoFrames) ? 0 : 1;
        }

        Assert.True(hashed > 0 || maxSubject > 200);
        // If the topic of a single frame always ends before the first delimiter, no token of a prefix is certain.
        bool canNarrow = maxSingle > 0 && delimiter != frameDelimiter;
        Assert.Equal(canNarrow, narrowed > 0);
        Assert.Equal(canNarrow, excluded > 0);
    }
}

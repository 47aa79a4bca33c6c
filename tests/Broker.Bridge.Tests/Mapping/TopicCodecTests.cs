using System.Text;

namespace Broker.Bridge.Tests.Mapping;

public sealed class TopicCodecTests
{
    private readonly TopicCodec _codec = new(Codecs.Options);

    [Theory]
    [InlineData("weather.oslo", "zmq.weather.oslo")]
    [InlineData("", "zmq.=")]
    [InlineData(".", "zmq.=.=")]
    [InlineData(".a", "zmq.=.a")]
    [InlineData("a.", "zmq.a.=")]
    [InlineData("a..b", "zmq.a.=.b")]
    [InlineData("=", "zmq.=3D")]
    [InlineData("a b\r\n\0", "zmq.a=20b=0D=0A=00")]
    [InlineData("*.>", "zmq.=2A.=3E")]
    [InlineData("\u00FF/A-z_9", "zmq.=FF=2FA-z_9")]
    public void A_topic_has_this_subject_and_comes_back(string topic, string subject)
    {
        Assert.Equal(subject, _codec.Encode(topic));
        Assert.Equal((TopicDecoding.Exact, topic), _codec.Decode(subject));
    }

    [Fact]
    public void Another_delimiter_becomes_the_dot_and_the_dot_is_escaped()
    {
        var codec = new TopicCodec(Codecs.Options with { TopicDelimiter = (byte)'/', Prefix = "site.zmq" });
        Assert.Equal("site.zmq.a.b=2Ec", codec.Encode("a/b.c"));
        Assert.Equal((TopicDecoding.Exact, "a/b.c"), codec.Decode("site.zmq.a.b=2Ec"));
        Assert.Equal((TopicDecoding.Foreign, "a/b"), codec.Decode("site.zmq.a/b"));
    }

    [Theory]
    [InlineData("zmq.a=b", "a=b")]
    [InlineData("zmq.a/b", "a/b")]
    [InlineData("zmq.a=2fb", "a=2fb")]
    [InlineData("zmq.=41", "A")]
    [InlineData("zmq.a=", "a=")]
    [InlineData("zmq.==", "==")]
    [InlineData("zmq.a=2", "a=2")]
    [InlineData("zmq.a..b", "a..b")]
    [InlineData("zmq.", "")]
    [InlineData("zmq.a.", "a.")]
    [InlineData("zmq.*.>", "*.>")]
    public void A_foreign_subject_is_read_literally_if_it_is_not_encoded(string subject, string topic)
        => Assert.Equal((TopicDecoding.Foreign, topic), _codec.Decode(subject));

    [Theory]
    [InlineData("")]
    [InlineData("zmq")]
    [InlineData("zmqa.b")]
    [InlineData("other.a")]
    public void A_subject_of_another_prefix_is_outside(string subject)
        => Assert.Equal((TopicDecoding.OutsidePrefix, ""), _codec.Decode(subject));

    [Fact]
    public void Every_single_byte_and_every_pair_has_its_own_subject_and_comes_back()
    {
        foreach (byte delimiter in "./=- A0_"u8.ToArray())
        {
            var codec = new TopicCodec(Codecs.Options with { TopicDelimiter = delimiter });
            var seen = new HashSet<string>(StringComparer.Ordinal) { codec.Encode("") };
            for (int b = 0; b < 256; b++)
            {
                AssertRoundTrip(codec, [(byte)b], seen);
                for (int c = 0; c < 256; c++)
                {
                    AssertRoundTrip(codec, [(byte)b, (byte)c], seen);
                }
            }

            Assert.Equal(1 + 256 + (256 * 256), seen.Count);
        }
    }

    [Fact]
    public void Random_byte_strings_come_back_and_their_subjects_are_literal()
    {
        var random = new Random(Seed.Next());
        var codec = new TopicCodec(Codecs.Options with { MaxSubjectLength = 1024 });
        for (int i = 0; i < 120_000; i++)
        {
            AssertRoundTrip(codec, RandomBytes.Next(random, 300), seen: null);
        }
    }

    [Fact]
    public void Random_subjects_are_exact_only_when_they_are_the_encoding_of_their_topic()
    {
        var random = new Random(Seed.Next());
        int exact = 0;
        for (int i = 0; i < 120_000; i++)
        {
            string subject = "zmq." + Encoding.Latin1.GetString(RandomBytes.Next(random, 40));
            (TopicDecoding result, string? topic) = _codec.Decode(subject);
            Assert.Equal(result == TopicDecoding.Exact, _codec.Encode(topic) == subject);
            exact += result == TopicDecoding.Exact ? 1 : 0;
        }

        Assert.True(exact > 1000);
    }

    [Fact]
    public void The_longest_subject_fits_and_one_byte_more_is_hashed()
    {
        string longest = new('a', 256 - 4);
        Assert.Equal("zmq." + longest, _codec.Encode(longest));
        Assert.Equal(TopicDecoding.Exact, _codec.Decode("zmq." + longest).Result);

        string hashed = _codec.Encode(longest + "a");
        Assert.Equal(4 + 34, hashed.Length);
        Assert.Equal((TopicDecoding.Hashed, ""), _codec.Decode(hashed));
        Assert.Equal(TopicDecoding.Foreign, _codec.Decode("zmq." + longest + "a").Result);
    }

    [Fact]
    public void A_hashed_subject_keeps_whole_tokens_and_depends_on_the_whole_topic()
    {
        byte[] topic = Codecs.Latin1("weather.oslo." + new string('x', 4096));
        string subject = _codec.Encode(topic);
        Assert.StartsWith("zmq.weather.oslo.==", subject, StringComparison.Ordinal);
        Assert.True(Subjects.IsLiteral(Codecs.Latin1(subject)));
        Assert.Equal(subject, _codec.Encode(topic));
        topic[^1] ^= 1;
        Assert.NotEqual(subject, _codec.Encode(topic));
    }

    [Fact]
    public void Overlong_random_topics_stay_literal_and_within_the_maximum()
    {
        var random = new Random(Seed.Next());
        int hashed = 0;
        for (int i = 0; i < 20_000; i++)
        {
            string subject = _codec.Encode(RandomBytes.Next(random, 4096));
            Assert.True(subject.Length <= 256);
            Assert.True(Subjects.IsLiteral(Codecs.Latin1(subject)));
            hashed += _codec.Decode(subject).Result == TopicDecoding.Hashed ? 1 : 0;
        }

        Assert.True(hashed > 1000);
    }

    [Theory]
    [InlineData("")]
    [InlineData(".a")]
    [InlineData("a.")]
    [InlineData("a..b")]
    [InlineData("a b")]
    [InlineData("a.*")]
    [InlineData("a.>")]
    [InlineData("\u00E9")]
    public void A_prefix_that_is_no_literal_subject_is_refused(string prefix)
        => Assert.Throws<ArgumentException>(() => new TopicCodec(Codecs.Options with { Prefix = prefix }));

    [Fact]
    public void A_destination_that_is_too_short_is_the_callers_error()
    {
        Assert.Throws<ArgumentException>(() => _codec.Encode("a"u8, new byte[255], out _));
        Assert.Throws<ArgumentException>(() => _codec.LowerPrefix("a"u8, new byte[255]));
        Assert.Equal(TopicDecoding.DestinationTooSmall, _codec.Decode("zmq.ab"u8, new byte[1], out _));
    }

    private static void AssertRoundTrip(TopicCodec codec, byte[] topic, HashSet<string>? seen)
    {
        string subject = codec.Encode(topic);
        Assert.True(Subjects.IsLiteral(Codecs.Latin1(subject)), subject);
        Assert.Equal((TopicDecoding.Exact, Encoding.Latin1.GetString(topic)), codec.Decode(subject));
        if (seen is not null)
        {
            Assert.True(seen.Add(subject), subject);
        }
    }
}

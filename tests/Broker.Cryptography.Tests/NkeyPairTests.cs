using System.Text.Json.Nodes;

namespace Broker.Cryptography.Tests;

public sealed class NkeyPairTests
{
    public static TheoryData<NkeyKind, string> Kinds => new()
    {
        { NkeyKind.Operator, "O" }, { NkeyKind.Account, "A" }, { NkeyKind.User, "U" }, { NkeyKind.Server, "N" }, { NkeyKind.Curve, "X" },
    };

    [Theory]
    [MemberData(nameof(Kinds))]
    public void The_letter_of_a_key_shows_its_kind_and_its_seed_gives_it_again(NkeyKind kind, string letter)
    {
        var keys = NkeyPair.Generate(kind);
        var again = NkeyPair.FromSeed(keys.ExportSeed());

        Assert.Equal((letter, "S" + letter), (keys.PublicKey[..1], keys.ExportSeed()[..2]));
        Assert.Equal((kind, keys.PublicKey), (again.Kind, again.PublicKey));
        Assert.Equal(keys.PublicKey, keys.ToString());
        Assert.All(Kinds, row => Assert.Equal(row.Data.Item1 == kind, NkeyPair.IsPublicKey(keys.PublicKey, row.Data.Item1)));
    }

    [Fact]
    public void A_seed_with_one_wrong_letter_is_refused_and_not_repeated()
    {
        string seed = NkeyPair.Generate(NkeyKind.Account).ExportSeed();
        string wrong = seed[..20] + (seed[20] == 'A' ? 'B' : 'A') + seed[21..];

        Assert.DoesNotContain(wrong[..10], Assert.Throws<FormatException>(() => NkeyPair.FromSeed(wrong)).ToString(), StringComparison.Ordinal);
        Assert.Throws<FormatException>(() => NkeyPair.FromSeed(""));
        Assert.Throws<FormatException>(() => UserCredentials.FromSeed(seed));
    }

    [Fact]
    public void A_curve_key_does_not_sign() => Assert.Throws<InvalidOperationException>(() => NkeyPair.Generate(NkeyKind.Curve).Sign("x"u8));

    [Fact]
    public void A_signed_JWT_is_read_and_one_with_any_changed_letter_is_not()
    {
        var keys = NkeyPair.Generate(NkeyKind.Account);
        string jwt = JwtSigner.Sign(keys, new JsonObject { ["sub"] = "UX", ["nats"] = new JsonObject { ["type"] = "user" } });

        Assert.Equal((keys.PublicKey, "UX"), (JwtSigner.Read(jwt)["iss"]!.ToString(), JwtSigner.Read(jwt)["sub"]!.ToString()));
        for (int i = 0; i < jwt.Length; i++)
        {
            string changed = jwt[..i] + (jwt[i] == 'B' ? 'C' : 'B') + jwt[(i + 1)..];
            Assert.Throws<FormatException>(() => JwtSigner.Read(changed));
        }

        Assert.Throws<FormatException>(() => JwtSigner.Read(""));
        Assert.Throws<FormatException>(() => JwtSigner.Read(new string('a', 2_000_000)));
    }
}

using Broker.ZeroMq;

namespace Broker.Cryptography.Tests;

/// <summary>
/// Compares the primitives of CURVE with the results of libsodium's crypto_box for the same keys, nonce and text.
/// </summary>
public sealed class CurveTests
{
    private static readonly byte[] AliceSecret = Convert.FromHexString("2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90");
    private static readonly byte[] BobSecret = Convert.FromHexString("81b637d8fcd2c6da6359e6963113a1170de795e4b725b84d1e0b4cfd9ec58ce9");
    private static readonly byte[] AlicePublic = Convert.FromHexString("2e8b2883c27b391359d7d0c15d00815a6693290a38dd8eba341cc07ddaa8ed4d");
    private static readonly byte[] BobPublic = Convert.FromHexString("c0b126b5aa134b84e64625256b8de8973787612b1f3839d2c60526d2114e886d");
    private static readonly byte[] Shared = Convert.FromHexString("304e59d0dcce267af4178cf9fef95676aade88b804c07bc686ac3b66bd74b74d");
    private static readonly byte[] Nonce = Convert.FromHexString("78377b525757b494427f89014f97d79928f3938d14eb51e2");
    private static readonly byte[] Text = Convert.FromHexString(
        "eaf2c12742cb8c161bcbd84b032b9bb98999a23282542672ca01cc6edd268f7dce9987ad6b2bc79305634f89d90b90102bcd59a57e7135b8e3ceb93c0597117b"
        + "824df1fc40c40116c9aa60dd4a9750ca8d8204b3ffd171f950b45c469ba59f55f6a8fd40fff1961ab51a065bd14e51e9f1d14c81de586a747fed31c1ab92d3f0212121");

    private static readonly byte[] Sealed = Convert.FromHexString(
        "f26e5bb54e076e6b2942b0dacbda50e63a11eab8c590f4730eb086bff154b8d0050d47f4683a293c7b041eb53666fbe822bf753b8c645d8f031de148ec29edf5"
        + "303afe9d2e2e3d477bc3d2b87ed581e0fdcb5004c75e7be57364185da6e2c63812610ba8c6a282981d29eef4cf1bca37b1e743887f3c6d4660a58083ac824f54"
        + "370a127bbd22f5b91ff4845e0f650a600ec002");

    private readonly CurveCryptography _cryptography = new();

    [Fact]
    public void The_public_key_is_computed_from_the_secret_key()
    {
        byte[] key = new byte[32];
        _cryptography.GetPublicKey(AliceSecret, key);
        Assert.Equal(AlicePublic, key);
        _cryptography.GetPublicKey(BobSecret, key);
        Assert.Equal(BobPublic, key);
    }

    [Fact]
    public void Both_sides_agree_on_the_same_key()
    {
        byte[] key = new byte[32];
        Assert.True(_cryptography.TryAgree(AliceSecret, BobPublic, key));
        Assert.Equal(Shared, key);
        Assert.True(_cryptography.TryAgree(BobSecret, AlicePublic, key));
        Assert.Equal(Shared, key);
    }

    [Fact]
    public void A_public_key_of_low_order_is_refused()
    {
        byte[] key = new byte[32];
        Assert.False(_cryptography.TryAgree(AliceSecret, new byte[32], key));
        Assert.Equal(new byte[32], key);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(31)]
    [InlineData(33)]
    [InlineData(64)]
    [InlineData(131)]
    public void A_box_equals_that_of_libsodium_for_any_split_of_the_text(int part)
    {
        using ICurveBox box = _cryptography.CreateBox(Shared);
        byte[] made = new byte[Sealed.Length];
        for (int round = 0; round < 2; round++)
        {
            box.Begin(Nonce);
            for (int at = 0; at < Text.Length; at += part)
            {
                int count = Math.Min(part, Text.Length - at);
                box.Transform(Text.AsSpan(at, count), made.AsSpan(16 + at, count));
                box.Authenticate(made.AsSpan(16 + at, count));
            }

            box.GetTag(made.AsSpan(0, 16));
            Assert.Equal(Sealed, made);
        }
    }

    [Fact]
    public void A_text_is_decrypted_in_place()
    {
        using ICurveBox box = _cryptography.CreateBox(Shared);
        byte[] memory = Sealed[16..];
        box.Begin(Nonce);
        box.Transform(memory, memory);
        Assert.Equal(Text, memory);
    }
}

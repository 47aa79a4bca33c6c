namespace Broker.Cryptography.Tests;

public sealed class Ed25519Tests
{
    // The values are from RFC 8032, 7.1, TEST 2.
    private static readonly byte[] Key = Convert.FromHexString("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
    private static readonly byte[] Signature = Convert.FromHexString(
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");

    private readonly Ed25519Verifier _verifier = new();

    [Fact]
    public void The_vector_of_the_RFC_holds() => Assert.True(_verifier.Verify(Key, [0x72], Signature));

    [Fact]
    public void One_wrong_bit_makes_the_signature_invalid()
    {
        Assert.False(_verifier.Verify(Key, [0x73], Signature));
        for (int i = 0; i < Signature.Length; i++)
        {
            byte[] wrong = [.. Signature];
            wrong[i] ^= 1;
            Assert.False(_verifier.Verify(Key, [0x72], wrong));
        }
    }

    [Fact]
    public void Random_bytes_of_any_length_are_refused_without_an_exception()
    {
        var random = new Random(Seed.Next());
        for (int i = 0; i < 300; i++)
        {
            byte[] key = new byte[i % 3 == 0 ? 32 : random.Next(70)];
            byte[] signature = new byte[i % 2 == 0 ? 64 : random.Next(130)];
            random.NextBytes(key);
            random.NextBytes(signature);
            Assert.False(_verifier.Verify(key, "nonce"u8, signature));
        }
    }
}

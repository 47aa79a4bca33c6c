using System.Numerics;
using System.Security.Cryptography;
using Broker.ZeroMq;
using Org.BouncyCastle.Crypto.Engines;
using Org.BouncyCastle.Crypto.Macs;
using Org.BouncyCastle.Crypto.Parameters;

namespace Broker.Cryptography;

/// <summary>Authenticated encryption with XSalsa20 and Poly1305.</summary>
internal sealed class CurveBox : ICurveBox
{
    private const int AuthenticatorKeySize = 32;

    private readonly byte[] _key;
    private readonly byte[] _nonce = new byte[24];
    private readonly byte[] _block = new byte[64];
    private readonly KeyStream _stream = new();
    private readonly Poly1305 _authenticator = new();
    private int _used;

    internal CurveBox(ReadOnlySpan<byte> key) => _key = key.ToArray();

    public void Begin(ReadOnlySpan<byte> nonce)
    {
        nonce.CopyTo(_nonce);
        _stream.Restart(_key, _nonce);
        _stream.Next(_block);
        _authenticator.Init(new KeyParameter(_block.AsSpan(0, AuthenticatorKeySize)));
        _used = AuthenticatorKeySize;
    }

    public void Transform(ReadOnlySpan<byte> source, Span<byte> destination)
    {
        while (!source.IsEmpty)
        {
            if (_used == _block.Length)
            {
                _stream.Next(_block);
                _used = 0;
            }

            int count = Math.Min(source.Length, _block.Length - _used);
            Combine(source[..count], _block.AsSpan(_used, count), destination[..count]);
            _used += count;
            source = source[count..];
            destination = destination[count..];
        }
    }

    public void Authenticate(ReadOnlySpan<byte> encrypted) => _authenticator.BlockUpdate(encrypted);

    public void GetTag(Span<byte> tag) => _authenticator.DoFinal(tag);

    public void Dispose()
    {
        CryptographicOperations.ZeroMemory(_key);
        CryptographicOperations.ZeroMemory(_block);
    }

    private static void Combine(ReadOnlySpan<byte> source, ReadOnlySpan<byte> key, Span<byte> destination)
    {
        int done = 0;
        for (; done + Vector<byte>.Count <= source.Length; done += Vector<byte>.Count)
        {
            (new Vector<byte>(source[done..]) ^ new Vector<byte>(key[done..])).CopyTo(destination[done..]);
        }

        for (; done < source.Length; done++)
        {
            destination[done] = (byte)(source[done] ^ key[done]);
        }
    }

    /// <summary>
    /// The key stream of the XSalsa20 engine. <see cref="Transform"/> combines the key stream with the text many octets
    /// at a time. <c>Restart</c> prepares it for a new nonce without a new object.
    /// </summary>
    private sealed class KeyStream : XSalsa20Engine
    {
        internal void Restart(byte[] key, byte[] nonce)
        {
            SetKey(key, nonce);
            ResetCounter();
        }

        internal void Next(byte[] block)
        {
            GenerateKeyStream(block);
            AdvanceCounter();
        }
    }
}
